/** The exports of the QuickJS module. Values are addresses of boxes with one value each; the receiver frees a box. */

export interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  wasm_malloc(size: number): number;
  wasm_free(at: number): void;
  qjs_init(): number;
  qjs_get_context_ptr(): number;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_set_interrupt_handler(on: number): void;
  qjs_set_promise_rejection_handler(on: number): void;
  qjs_set_module_loader(on: number): void;
  qjs_compute_memory_usage(into: number): void;
  qjs_eval(code: number, length: number, file: number, flags: number): number;
  qjs_compile(code: number, length: number, file: number, flags: number, write: number, outLength: number): number;
  qjs_eval_bytecode(code: number, length: number): number;
  qjs_call(callee: number, receiver: number, count: number, list: number): number;
  qjs_new_host_function(name: number, length: number, count: number): number;
  qjs_get_global(): number;
  qjs_set_prop_string(box: number, name: number, value: number): number;
  qjs_get_prop_string(box: number, name: number): number;
  qjs_set_prop_uint32(box: number, index: number, value: number): number;
  qjs_new_string(at: number, length: number): number;
  qjs_new_number(value: number): number;
  qjs_new_array(): number;
  qjs_new_error(): number;
  qjs_new_uint8_array(at: number, length: number): number;
  qjs_get_undefined(): number;
  qjs_get_null(): number;
  qjs_get_true(): number;
  qjs_get_false(): number;
  qjs_dup_value(box: number): number;
  qjs_free_value(box: number): void;
  qjs_get_value_ptr(box: number): number;
  qjs_is_exception(box: number): number;
  qjs_is_string(box: number): number;
  qjs_is_number(box: number): number;
  qjs_is_bool(box: number): number;
  qjs_is_null(box: number): number;
  qjs_is_object(box: number): number;
  qjs_is_proxy(box: number): number;
  qjs_get_bool(box: number): number;
  qjs_get_float64(box: number): number;
  qjs_get_string_len(box: number, length: number): number;
  qjs_free_cstring(at: number): void;
  qjs_is_array_buffer(box: number): number;
  qjs_get_array_buffer(box: number, length: number): number;
  qjs_get_typed_array_buffer(box: number, offset: number, length: number, each: number): number;
  qjs_promise_state(box: number): number;
  qjs_promise_result(box: number): number;
  qjs_promise_mark_as_handled(box: number): void;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_get_exception(): number;
  qjs_throw(box: number): number;
  JS_SetUncatchableError(context: number, value: bigint): void;
}

export const GLOBAL = 0;
export const MODULE = 1;
/** Lets the top level await; its value is a promise of `{value}`. */
export const ASYNC = 128;
export const STRIP_SOURCE = 16;
export const COMPILE_ONLY = 32;
