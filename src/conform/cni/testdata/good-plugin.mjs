#!/usr/bin/env node
// A plugin that keeps the rules of CNI, written without the kit. `faults` breaks one of them: see broken-plugin.mjs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VERSIONS = ['0.4.0', '1.0.0', '1.1.0'];

class PluginError extends Error {
  constructor(code, message, details) {
    super(message);
    Object.assign(this, { code, details });
  }
}

const quiet = { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' };
const host = (...args) => execFileSync('ip', args, quiet);
const inside = (netns, ...args) => execFileSync('nsenter', [`--net=${netns}`, 'ip', ...args], quiet);

/** Runs as this process. `kind` is interface, chained or ipam. */
export function runPlugin(kind, faults) {
  const env = process.env;
  try {
    const output = answer(kind, faults, env);
    if (output !== undefined) process.stdout.write(`${JSON.stringify(output)}\n`);
  } catch (error) {
    const known = error instanceof PluginError;
    const code = faults.has('wrong-error-code') ? 999 : known ? error.code : 999;
    const printed = { cniVersion: '1.1.0', code, msg: error.message, ...(known && error.details ? { details: error.details } : {}) };
    if (faults.has('error-on-stderr')) process.stderr.write(`${error.message}\n`);
    else process.stdout.write(`${JSON.stringify(printed)}\n`);
    process.exitCode = faults.has('errors-exit-0') ? 0 : 1;
  }
}

function answer(kind, faults, env) {
  const command = env.CNI_COMMAND ?? '';
  const input = readFileSync(0, 'utf8');
  if (command === 'VERSION') return versions(faults, input);
  if (!['ADD', 'CHECK', 'DEL', 'GC', 'STATUS'].includes(command))
    throw new PluginError(4, `unknown CNI_COMMAND: ${command}`);
  if (['ADD', 'CHECK', 'DEL'].includes(command)) checkEnvironment(faults, command, env);
  const config = parse(input);
  if (!VERSIONS.includes(config.cniVersion)) throw new PluginError(1, 'incompatible CNI versions');
  const ifName = faults.has('ignores-ifname') ? 'eth0' : env.CNI_IFNAME;
  const call = { kind, faults, config, id: env.CNI_CONTAINERID, netns: env.CNI_NETNS ?? '', ifName };
  return { ADD: add, CHECK: check, DEL: del, GC: gc, STATUS: status }[command](call);
}

function versions(faults, input) {
  if (faults.has('no-supported-versions')) return { cniVersion: '1.1.0' };
  const cniVersion = faults.has('version-not-repeated') ? '0.3.0' : JSON.parse(input).cniVersion;
  return { cniVersion, supportedVersions: VERSIONS };
}

function checkEnvironment(faults, command, env) {
  const needed = command === 'DEL' && !faults.has('del-needs-namespace') ? ['CNI_CONTAINERID', 'CNI_IFNAME'] : ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'];
  const missing = needed.filter((name) => (env[name] ?? '') === '');
  if (missing.length > 0)
    throw new PluginError(4, faults.has('unnamed-variables') ? 'something is missing' : `missing variables: ${missing.join(', ')}`);
  if (!/^[a-zA-Z0-9][\w.-]*$/.test(env.CNI_CONTAINERID) && !faults.has('any-container-id'))
    throw new PluginError(4, 'invalid CNI_CONTAINERID');
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PluginError(6, 'cannot decode the configuration', error.message);
  }
}

const ownerOf = ({ id, ifName }) => `${id} ${ifName}`;
const stateOf = ({ config }) => join(config.state, 'addresses');

/** Addresses are files; only one process can make one with the flag `wx`. */
function allocate(call) {
  const folder = stateOf(call);
  mkdirSync(folder, { recursive: true });
  if (call.faults.has('no-lock')) {
    // looks first and writes later, so that others may do the same in between
    const number = [...Array(200).keys()].map((at) => at + 2).find((at) => !existsSync(join(folder, `10.66.0.${at}`)));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    writeFileSync(join(folder, `10.66.0.${number}`), ownerOf(call));
    return `10.66.0.${number}`;
  }
  for (let number = 2; number < 250; number++) {
    const address = `10.66.0.${number}`;
    try {
      writeFileSync(join(folder, address), ownerOf(call), { flag: 'wx' });
      return address;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  throw new PluginError(11, 'no address is free');
}

function reserved(call) {
  const folder = stateOf(call);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => readFileSync(join(folder, name), 'utf8') === ownerOf(call));
}

function release(call) {
  for (const name of reserved(call)) rmSync(join(stateOf(call), name), { force: true });
}

function hasInterface({ netns, ifName }) {
  try {
    inside(netns, 'link', 'show', ifName);
    return true;
  } catch {
    return false;
  }
}

function add(call) {
  const { kind, faults, config, netns, ifName, id } = call;
  if (faults.has('prints-noise')) process.stdout.write('adding a container\n');
  const cniVersion = faults.has('wrong-result-version') ? '0.3.1' : config.cniVersion;
  if (kind === 'chained') {
    inside(netns, 'link', 'show', ifName);
    if (faults.has('drops-previous-result')) return { cniVersion };
    if (faults.has('loses-addresses')) return { ...config.prevResult, cniVersion, ips: undefined };
    return { ...config.prevResult, cniVersion };
  }
  if (kind === 'ipam') {
    if (reserved(call).length > 0) throw new PluginError(100, 'the container has an address');
    if (!existsSync(netns)) throw new PluginError(3, 'there is no such namespace');
    const ips = [{ address: `${allocate(call)}/16` }];
    return faults.has('ipam-with-interfaces') ? { cniVersion, ips, interfaces: [{ name: ifName }] } : { cniVersion, ips };
  }
  if (faults.has('leaks-on-failure')) allocate({ ...call, id: `${id}-${process.pid}` });
  if (!existsSync(netns) || !statSync(netns).isFile()) throw new PluginError(3, 'there is no such namespace');
  if (hasInterface(call)) {
    if (faults.has('add-again-succeeds')) return config.prevResult ?? { cniVersion, ips: [] };
    if (faults.has('add-again-removes')) inside(netns, 'address', 'flush', 'dev', ifName);
    throw new PluginError(100, `interface ${ifName} exists`);
  }
  const address = `${allocate(call)}/16`;
  const hostSide = `g${Buffer.from(`${id}${ifName}`).toString('hex').slice(-12)}`;
  host('link', 'add', hostSide, 'type', 'veth', 'peer', 'name', ifName, 'netns', netns);
  inside(netns, 'link', 'set', ifName, 'up');
  if (!faults.has('address-not-set')) inside(netns, 'address', 'add', address, 'dev', ifName);
  if (faults.has('leaks-interfaces')) host('link', 'add', `leak${process.pid}`, 'type', 'bridge');
  const sandbox = faults.has('wrong-sandbox') ? '/run/netns/other' : netns;
  return {
    cniVersion,
    interfaces: [{ name: faults.has('phantom-interface') ? 'phantom0' : hostSide }, { name: ifName, sandbox }],
    ips: [{ address, interface: faults.has('wrong-index') ? 7 : 1, ...(config.cniVersion === '0.4.0' ? { version: '4' } : {}) }],
  };
}

function check(call) {
  const { kind, faults, netns, ifName } = call;
  if (faults.has('check-fails')) throw new PluginError(100, 'not ready yet');
  if (faults.has('check-always-succeeds')) return undefined;
  if (faults.has('check-prints')) return { cniVersion: call.config.cniVersion };
  if (kind === 'chained') return undefined;
  const held = reserved(call);
  if (held.length === 0) throw new PluginError(100, 'no address is reserved');
  if (kind === 'ipam') return undefined;
  if (!hasInterface(call)) throw new PluginError(100, `interface ${ifName} is missing`);
  const present = inside(netns, '-o', 'address', 'show', 'dev', ifName);
  if (!present.includes(` ${held[0]}/16 `)) throw new PluginError(100, `address ${held[0]} is missing`);
  return undefined;
}

function del(call) {
  const { kind, faults, netns, ifName } = call;
  const isThere = netns !== '' && existsSync(netns);
  if (faults.has('del-again-fails') && reserved(call).length === 0 && existsSync(join(call.config.state, 'deleted', call.id)))
    throw new PluginError(100, 'it was deleted already');
  if (faults.has('del-unknown-fails') && reserved(call).length === 0) throw new PluginError(3, 'this container is unknown');
  if (faults.has('del-needs-result') && call.config.prevResult === undefined) throw new PluginError(7, 'prevResult is missing');
  if (kind === 'interface' && isThere && hasInterface(call) && !faults.has('del-keeps-interface'))
    inside(netns, 'link', 'delete', ifName);
  if (!faults.has('del-keeps-address') && !(faults.has('del-keeps-address-without-namespace') && !isThere)) release(call);
  if (faults.has('del-again-fails')) {
    mkdirSync(join(call.config.state, 'deleted'), { recursive: true });
    writeFileSync(join(call.config.state, 'deleted', call.id), '');
  }
  return faults.has('del-prints') ? { cniVersion: call.config.cniVersion } : undefined;
}

function gc(call) {
  const { faults, config, kind } = call;
  if (kind === 'chained' || faults.has('gc-keeps-all')) return undefined;
  const valid = new Set(config['cni.dev/valid-attachments'].map(({ containerID, ifname }) => `${containerID} ${ifname}`));
  const folder = stateOf(call);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const isValid = valid.has(readFileSync(join(folder, name), 'utf8'));
    if (!isValid || faults.has('gc-removes-valid')) rmSync(join(folder, name), { force: true });
  }
  return undefined;
}

function status({ faults }) {
  if (faults.has('status-fails')) throw new PluginError(50, 'not available');
  return undefined;
}
