// perf_hooks: the engine's clock.
const { performance } = globalThis;
if (!("timeOrigin" in performance)) core.hidden(performance, "timeOrigin", Date.now() - host("now"));
for (
  const name of ["mark", "measure", "clearMarks", "clearMeasures", "getEntries", "getEntriesByName", "getEntriesByType"]
) {
  if (!(name in performance)) core.hidden(performance, name, () => name.startsWith("get") ? [] : undefined);
}
class PerformanceObserver {
  observe() {}
  disconnect() {}
}
Object.assign(exports, { performance, PerformanceObserver, constants: {} });
