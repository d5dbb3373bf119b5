// The peer "stock Pyodide": loads it the documented way, then answers each line of code with one line of JSON.
// Run as `stock.mjs FOLDER`, where FOLDER holds the files of the npm package.

const folder = Deno.args[0];
const { loadPyodide } = await import(`file://${folder}/pyodide.mjs`);
const pyodide = await loadPyodide({ indexURL: `${folder}/` });

let rest = "";
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const value = await pyodide.runPythonAsync(JSON.parse(line));
    console.log(JSON.stringify(String(value)));
  }
}
