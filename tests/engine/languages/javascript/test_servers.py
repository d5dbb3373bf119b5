"""Servers of Node at the sandbox's own ports, and its clients."""

import re

import pytest

from cloche import Sandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(90)]

SERVER = """
const http = require('http');
const server = http.createServer((req, res) => {
  let body = '';
  req.on('data', (piece) => body += piece);
  req.on('end', () => {
    if (req.url === '/json') {
      res.writeHead(201, { 'Content-Type': 'application/json' });
      res.end(JSON.stringify({ method: req.method, body, a: req.headers['x-a'] }));
    } else if (req.url === '/stream') {
      res.write('a');
      setTimeout(() => res.end('b'), 20);
    } else {
      res.statusCode = 404;
      res.end('nothing\\n');
    }
  });
});
server.listen(3000, () => console.log('ready', server.address().port));
"""
CLIENT = """
const http = require('http');
http.get('http://localhost:3000/stream', (res) => {
  let all = '';
  res.on('data', (piece) => all += piece);
  res.on('end', async () => {
    console.log(res.statusCode, res.headers['transfer-encoding'], all);
    const reply = await fetch('http://localhost:3000/json', { method: 'POST', body: 'hi', headers: { 'x-a': '1' } });
    console.log(reply.status, JSON.stringify(await reply.json()));
    await fetch('http://localhost:3999/').catch((error) => console.log(error.name, error.cause?.code));
    http.get('http://localhost:3999/').on('error', (error) => console.log(error.code));
  });
});
"""
ECHO = """
const net = require('net');
const server = net.createServer((socket) => {
  socket.write('welcome\\n');
  socket.pipe(socket);
});
server.listen(0, '127.0.0.1', () => {
  const second = net.createServer().on('error', (error) => console.log(error.code));
  second.listen(server.address().port);
  const client = net.connect(server.address().port, () => client.write('ping\\n'));
  let all = '';
  client.on('data', (piece) => {
    all += piece;
    if (all.endsWith('ping\\n')) client.end();
  });
  client.on('close', () => {
    console.log(JSON.stringify(all));
    server.close(() => console.log('closed'));
  });
});
"""


async def said(box: Sandbox, command: str) -> str:
    """What a command prints that has to work; the line about its job is left out."""
    result = await box.bash(command, timeout=60)
    complaints = re.sub(r"^\[\d+\] \d+\n", "", result.stderr)
    assert (result.exit_code, complaints) == (0, ""), result.stdout
    return result.stdout


@pytest.mark.slow
async def test_a_server_of_http_answers_other_programs_and_later_calls() -> None:
    async with Sandbox() as box:
        await box.write("server.js", SERVER)
        await box.write("client.js", CLIENT)
        start = "node server.js > log 2>&1 &\nuntil curl -s localhost:3000/; do sleep 0.05; done; cat log"
        assert await said(box, start) == "nothing\nready 3000\n"
        assert await said(box, "curl -s localhost:3000/stream; curl -s -d x=1 localhost:3000/json") == (
            'ab{"method":"POST","body":"x=1"}'
        )
        assert (await said(box, "curl -sI localhost:3000/stream")).startswith("HTTP/1.1 200 OK\r\n")
        code = "import urllib.request as u; u.urlopen('http://localhost:3000/json', data=b'py').read()"
        assert (await box.run(code)).value == """b'{"method":"POST","body":"py"}'"""
        assert await said(box, "node client.js") == (
            '200 chunked ab\n201 {"method":"POST","body":"hi","a":"1"}\nTypeError ECONNREFUSED\nECONNREFUSED\n'
        )
        assert await said(box, "kill %1; wait %1 2> /dev/null; curl -s localhost:3000 || echo $?") == "7\n"


@pytest.mark.slow
async def test_sockets_of_net_carry_any_bytes() -> None:
    async with Sandbox() as box:
        await box.write("echo.js", ECHO)
        assert await said(box, "node echo.js") == 'EADDRINUSE\n"welcome\\nping\\n"\nclosed\n'


SIGNALS = """
process.on("SIGTERM", (name, number) => { console.log(name, number); clearInterval(timer); });
process.once("SIGUSR2", () => console.log("once"));
const timer = setInterval(() => {}, 1000);
console.log("ready");
"""


async def test_a_program_handles_the_signals_that_it_listens_to(box: Sandbox) -> None:
    await box.write("signals.js", SIGNALS)
    start = ": > out; node signals.js >> out & until grep -q ready out; do sleep 0.05; done"
    steps = "kill -USR2 $!; until grep -q once out; do sleep 0.05; done; kill $!; wait $!; echo $?; cat out"
    result = await box.bash(f"{start}; {steps}", timeout=30)
    assert result.stdout == "0\nready\nonce\nSIGTERM 15\n"
    await box.write("silent.js", SIGNALS.replace("SIGTERM", "SIGHUP"))
    start = start.replace("signals.js", "silent.js")
    assert (await box.bash(f"{start}; kill $!; wait $!; echo $?", timeout=30)).stdout == "143\n"


async def test_a_program_sends_signals(box: Sandbox) -> None:
    own = "process.on('SIGUSR2', (name) => console.log(name)); process.kill(process.pid, 'SIGUSR2')"
    assert (await box.bash(f'node -e "{own}"', timeout=30)).stdout == "SIGUSR2\n"
    result = await box.bash(
        'sleep 50 & node -e "process.kill($!); process.kill(process.pid)"; echo $?; wait $!; echo $?'
    )
    assert result.stdout == "143\n143\n"
