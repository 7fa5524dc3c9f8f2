// A program in one network namespace of a lab: it answers connections with its name and what it sees as their source, and makes
// connections when it is asked to, one JSON line each.
// oxlint-disable no-restricted-globals -- a program of its own, in real time
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const [name, port] = process.argv.slice(2);
const plain = (address) => address.replace(/^::ffff:/, '');
const isIpv6 = (address) => address.includes(':');

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.end(`${name} sees ${plain(socket.remoteAddress ?? '')}`);
});
const udp = createSocket('udp6');
udp.on('message', (_, { address, port: to }) => udp.send(`${name} sees ${plain(address)}`, to, address));
server.listen(Number(port), '::', () => udp.bind(Number(port), '::', () => answer({ isReady: true })));

/** UDP connections that are kept under a name, so that their source port stays the same. */
const kept = new Map();

function answer(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function overTcp({ address, port: to, waitMs }) {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port: to });
    const timer = setTimeout(() => done('no answer'), waitMs);
    let text = '';
    const done = (result) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    socket.setEncoding('utf8').on('data', (data) => (text += data));
    socket.on('end', () => done(text));
    socket.on('error', ({ code }) => done(code === 'ECONNREFUSED' ? 'refused' : code));
  });
}

function overUdp({ address, port: to, waitMs, keep }) {
  return new Promise((resolve) => {
    const known = keep === undefined ? undefined : kept.get(keep);
    const socket = known ?? createSocket(isIpv6(address) ? 'udp6' : 'udp4');
    if (keep !== undefined) kept.set(keep, socket);
    const timer = setTimeout(() => done('no answer'), waitMs);
    const done = (result) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      if (keep === undefined) socket.close();
      resolve(result);
    };
    socket.on('message', (data) => done(data.toString()));
    socket.on('error', ({ code }) => done(code === 'ECONNREFUSED' ? 'refused' : code));
    if (known === undefined) socket.connect(to, address, () => socket.send('hello'));
    else socket.send('hello');
  });
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, ...request } = JSON.parse(line);
    const asked = request.protocol === 'UDP' ? overUdp(request) : overTcp(request);
    void asked.then((result) => answer({ id, result }));
  })
  .on('close', () => process.exit(0));
