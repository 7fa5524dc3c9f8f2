import { formatInterfaceAddress, formatIp, parseCidr, parseIp } from '../../api/values/index.ts';
import { CniError } from '../cni-error.ts';
import { CNI_VERSIONS, UNSTATED_VERSION } from '../cni-version.ts';
import { FieldReader, type JsonObject, parseObject } from '../field-reader.ts';
import type { CniAddress020, CniDns, CniInterface, CniRoute, VersionedResult } from './cni-result.ts';

/** The three forms that results have had. */
export type ResultForm = '0.2' | '0.4' | '1.1';

export function formOf(version: string): ResultForm {
  if (!CNI_VERSIONS.some((known) => known === version))
    throw new CniError('IncompatibleVersion', `unsupported CNI result version ${JSON.stringify(version)}`);
  if (version === '0.1.0' || version === '0.2.0') return '0.2';
  return version.startsWith('0.') ? '0.4' : '1.1';
}

/**
 * Reads what a plugin printed after ADD. A result that does not say its version has that of the configuration. As libcni does, members
 * that the version does not know are dropped, and addresses are written in their canonical form.
 */
export function parseResult(text: string, configurationVersion: string): VersionedResult {
  if (text.trim() === '')
    throw new CniError('DecodingFailure', 'cannot read the result', { details: 'the plugin printed nothing' });
  const what = 'the result';
  const object = text.trim() === 'null' ? {} : parseObject(text, what);
  const stated = object['cniVersion'];
  const version = typeof stated === 'string' && stated !== '' ? stated : configurationVersion || UNSTATED_VERSION;
  return resultOf({ ...object, cniVersion: version }, what);
}

/** A result that was read as JSON already, such as a `prevResult`. Without a version it is one of 0.1.0. */
export function resultOf(object: JsonObject, what = 'the result'): VersionedResult {
  const reader = new FieldReader(object, what);
  const cniVersion = reader.text('cniVersion') || UNSTATED_VERSION;
  const form = formOf(cniVersion);
  const dns = dnsOf(reader.object('dns'), what);
  if (form === '0.2')
    return defined({
      cniVersion,
      ip4: address020Of(reader.object('ip4'), `"ip4" of ${what}`),
      ip6: address020Of(reader.object('ip6'), `"ip6" of ${what}`),
      dns: dns ?? {},
    });
  const shared = {
    cniVersion,
    interfaces: filled(reader.objects('interfaces')?.map((each) => interfaceOf(each, form, what))),
    routes: filled(reader.objects('routes')?.map((each) => routeOf(each, what))),
  };
  if (form === '1.1')
    return defined({ ...shared, ips: filled(reader.objects('ips')?.map((each) => addressOf(each, what))), dns });
  return defined({
    ...shared,
    ips: filled(
      reader.objects('ips')?.map((each) => ({
        version: new FieldReader(each, `an address of ${what}`).text('version') ?? '',
        ...addressOf(each, what),
      })),
    ),
    dns: dns ?? {},
  });
}

function interfaceOf(object: JsonObject, form: ResultForm, what: string): CniInterface {
  const reader = new FieldReader(object, `an interface of ${what}`);
  const name = reader.text('name') ?? '';
  const own = { name, mac: reader.text('mac') || undefined, sandbox: reader.text('sandbox') || undefined };
  if (form === '0.4') return defined(own);
  return defined({
    ...own,
    mtu: reader.integer('mtu') || undefined,
    socketPath: reader.text('socketPath') || undefined,
    pciID: reader.text('pciID') || undefined,
  });
}

function addressOf(object: JsonObject, what: string): { address: string; gateway?: string; interface?: number } {
  const place = `an address of ${what}`;
  const reader = new FieldReader(object, place);
  return defined({
    address: prefixOf(reader.text('address'), `"address" of ${place}`),
    gateway: ipOf(reader.text('gateway'), `"gateway" of ${place}`),
    interface: reader.integer('interface'),
  });
}

function address020Of(object: JsonObject | undefined, what: string): CniAddress020 | undefined {
  if (object === undefined) return undefined;
  const reader = new FieldReader(object, what);
  return defined({
    ip: prefixOf(reader.text('ip'), `"ip" of ${what}`),
    gateway: ipOf(reader.text('gateway'), `"gateway" of ${what}`),
    routes: filled(reader.objects('routes')?.map((each) => routeOf(each, what))),
  });
}

function routeOf(object: JsonObject, what: string): CniRoute {
  const place = `a route of ${what}`;
  const reader = new FieldReader(object, place);
  return defined({
    dst: prefixOf(reader.text('dst'), `"dst" of ${place}`),
    gw: ipOf(reader.text('gw'), `"gw" of ${place}`),
    mtu: reader.integer('mtu') || undefined,
    advmss: reader.integer('advmss') || undefined,
    priority: reader.integer('priority') || undefined,
    table: reader.integer('table'),
    scope: reader.integer('scope'),
  });
}

function dnsOf(object: JsonObject | undefined, what: string): CniDns | undefined {
  if (object === undefined) return undefined;
  const reader = new FieldReader(object, `"dns" of ${what}`);
  const dns: CniDns = defined({
    nameservers: filled(reader.texts('nameservers')),
    domain: reader.text('domain') || undefined,
    search: filled(reader.texts('search')),
    options: filled(reader.texts('options')),
  });
  return Object.keys(dns).length === 0 ? undefined : dns;
}

function prefixOf(text: string | undefined, what: string): string {
  const prefix = text === undefined ? undefined : parseCidr(text);
  if (prefix === undefined || prefix.isSloppy)
    throw badAddress(what, 'an address with a length, such as 10.1.0.5/16', text);
  return formatInterfaceAddress(prefix);
}

function ipOf(text: string | undefined, what: string): string | undefined {
  if (text === undefined || text === '') return undefined;
  const address = parseIp(text);
  if (address === undefined || address.isSloppy) throw badAddress(what, 'an IP address', text);
  return formatIp(address);
}

function badAddress(what: string, wanted: string, text: string | undefined): CniError {
  return new CniError('DecodingFailure', 'cannot read the result', {
    details: `${what} must be ${wanted}, got ${JSON.stringify(text ?? null)}`,
  });
}

/** Empty lists count as absent, as Go writes them. */
function filled<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** The object without members that are undefined. */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
