import { expect, test } from 'vitest';
import { HostPorts, hostPortsOf } from './host-ports.ts';

const tcp = (ip: string, port = 80): { ip: string; port: string } => ({ ip, port: `TCP/${port}` });

test('a port on all addresses conflicts with the same port on any address, and the reverse', () => {
  const ports = new HostPorts();
  ports.add(tcp('10.0.0.1'));
  expect(ports.isTaken(tcp('10.0.0.1'))).toBe(true);
  expect(ports.isTaken(tcp('10.0.0.2'))).toBe(false);
  expect(ports.isTaken(tcp('0.0.0.0'))).toBe(true);
  expect(ports.isTaken({ ip: '0.0.0.0', port: 'UDP/80' })).toBe(false);
  ports.add(tcp('0.0.0.0', 443));
  expect(ports.isTaken(tcp('10.0.0.2', 443))).toBe(true);
});

test('a port is free again when all pods that used it are gone', () => {
  const ports = new HostPorts();
  ports.add(tcp('0.0.0.0'));
  ports.add(tcp('0.0.0.0'));
  ports.remove(tcp('0.0.0.0'));
  expect(ports.isTaken(tcp('0.0.0.0'))).toBe(true);
  ports.remove(tcp('0.0.0.0'));
  expect(ports.isTaken(tcp('0.0.0.0'))).toBe(false);
  expect(ports.isEmpty).toBe(true);
});

test('hostPortsOf() looks at containers and sidecars, and fills in address and protocol', () => {
  const withPort = (hostPort: number, more: object = {}): never =>
    ({ name: `c${hostPort}`, ports: [{ containerPort: 1, hostPort }], ...more }) as never;
  const spec = {
    containers: [withPort(1), withPort(0)],
    initContainers: [withPort(2), withPort(3, { restartPolicy: 'Always' })],
  };
  expect(hostPortsOf({ spec })).toEqual([
    { ip: '0.0.0.0', port: 'TCP/3' },
    { ip: '0.0.0.0', port: 'TCP/1' },
  ]);
});
