import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { parseCidr, parseIp } from '../../../api/values/index.ts';
import { messageOf } from '../../../base/index.ts';
import {
  findUpstreams,
  type ListenAddress,
  nameservers,
  parseUpstream,
  type UpstreamAddress,
} from '../../../network/index.ts';
import { absoluteName } from '../../../wire/dns/index.ts';
import { FlagError } from '../flag.ts';

/** Reads `10.0.0.2:53`, `[::1]:53`, or `:53` for all addresses. */
export function listenAddress(flag: string, text: string): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? (plain === '' ? '0.0.0.0' : plain);
  const port = Number(digits);
  if (host === undefined || isIP(host) === 0 || port > 65_535)
    throw new FlagError(`--${flag} must be ADDRESS:PORT, such as 10.0.0.2:53, got "${text}"`);
  return { host, port };
}

/** The zone of a domain: in lower case, with its last dot. */
export function zoneName(flag: string, text: string): string {
  if (
    !/^([a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?\.?$/i.test(text) ||
    text.length > 200
  )
    throw new FlagError(`--${flag} must be a domain, such as cluster.local, got "${text}"`);
  return absoluteName(text.toLowerCase());
}

export interface ForwardChoice {
  readonly upstreams: readonly UpstreamAddress[];
  /** What they were read from, for the log; undefined when they were given. */
  readonly file?: string;
}

/**
 * Upstream servers as a flag names them: addresses, `none`, or a file. Without any, those of the machine; a machine without any has
 * none.
 */
export async function forwardChoice(flag: string, values: readonly string[]): Promise<ForwardChoice> {
  if (values.length === 0) {
    const { file, upstreams } = await findUpstreams();
    return file === undefined ? { upstreams } : { upstreams, file };
  }
  if (values.length === 1 && values[0] === 'none') return { upstreams: [] };
  const found: UpstreamAddress[] = [];
  for (const value of values) {
    const upstream = parseUpstream(value);
    if (upstream !== undefined) found.push(upstream);
    else if (value.startsWith('/')) found.push(...(await readUpstreams(flag, value)));
    else throw new FlagError(`--${flag} must be ADDRESS, ADDRESS:PORT, a file or none, got "${value}"`);
  }
  return { upstreams: found };
}

async function readUpstreams(flag: string, path: string): Promise<readonly UpstreamAddress[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new FlagError(`--${flag}: cannot read "${path}": ${messageOf(cause)}`, { cause });
  }
  const upstreams = nameservers(text);
  if (upstreams.length === 0) throw new FlagError(`--${flag}: "${path}" names no server`);
  return upstreams;
}

/** Networks or addresses as a flag names them. */
export function allowedNetworks(flag: string, values: readonly string[]): readonly string[] {
  const wrong = values.find((text) => parseCidr(text) === undefined && parseIp(text) === undefined);
  if (wrong !== undefined) throw new FlagError(`--${flag} must be networks or addresses, got "${wrong}"`);
  return values;
}
