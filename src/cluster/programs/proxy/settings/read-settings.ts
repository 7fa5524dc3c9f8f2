import { isIP } from 'node:net';
import { readConfiguration } from '../../../../api/index.ts';
import { messageOf } from '../../../../base/index.ts';
import { FlagError, type FlagValues } from '../../flag.ts';
import { readFlagFile } from '../../read-flags.ts';
import { withFlags } from '../../settings/flag-texts.ts';
import { refusals } from '../../settings/refusals.ts';
import { withDefaults, type WrittenConfiguration } from '../../settings/written-values.ts';
import { problemsOf } from './check-settings.ts';
import { proxyConfiguration, type ProxySettings } from './proxy-fields.ts';

export const HEALTHZ_PORT = 10_256;
export const METRICS_PORT = 10_249;

/** Flags that count beside a file. */
const ALWAYS = new Set(['hostname-override']);

/** The proxy's settings: the file of `--config`, or what flags say. Beside a file, only the name of the node counts, as upstream. */
export function readProxySettings(flags: FlagValues): ProxySettings {
  const path = flags.text('config') ?? '';
  const written = path === '' ? {} : readWritten(path);
  const defaulted = withDefaults(proxyConfiguration, written);
  const given = path === '' ? withFlags(proxyConfiguration, defaulted, flags) : defaulted;
  const ports = path === '' ? portFlags(flags) : {};
  return checked(completed(given, { ...ports, hostname: hostnameFlag(flags) }));
}

/** Flags that a file makes ineffective. */
export function ignoredFlags(flags: FlagValues): readonly string[] {
  if ((flags.text('config') ?? '') === '') return [];
  return proxyConfiguration.flagged.flatMap(({ flag }) => (flags.has(flag) && !ALWAYS.has(flag) ? [flag] : []));
}

interface Completion {
  readonly hostname?: string | undefined;
  readonly healthzPort?: number | undefined;
  readonly metricsPort?: number | undefined;
}

/** Defaults that depend on other fields. An address without a port gets the default one; a port of 0 means none at all. */
function completed(settings: ProxySettings, { hostname, healthzPort, metricsPort }: Completion): ProxySettings {
  const { bindAddress, healthzBindAddress, metricsBindAddress, nodePortAddresses } = settings;
  const isIpv6 = isIP(bindAddress) === 6;
  return {
    ...settings,
    hostnameOverride: hostname ?? settings.hostnameOverride,
    healthzBindAddress: placeOf(healthzBindAddress, isIpv6 ? '::' : '0.0.0.0', healthzPort ?? HEALTHZ_PORT),
    metricsBindAddress: placeOf(metricsBindAddress, isIpv6 ? '::1' : '127.0.0.1', metricsPort ?? METRICS_PORT),
    nodePortAddresses: nodePortAddresses.length === 0 ? ['primary'] : nodePortAddresses,
  };
}

function placeOf(text: string, otherwise: string, port: number): string {
  if (port === 0) return '';
  const address = text === '' ? otherwise : text;
  return isIP(address) === 0 ? address : withPort(address, port);
}

function withPort(address: string, port: number): string {
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}

function checked(settings: ProxySettings): ProxySettings {
  const problems = problemsOf(settings);
  if (problems.length > 0)
    throw new FlagError(`failed validate: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`);
  const refused = refusals(proxyConfiguration, settings);
  if (refused.length > 0) throw new FlagError(refused.join('; '));
  return settings;
}

function readWritten(path: string): WrittenConfiguration {
  const text = readFlagFile('config', path);
  try {
    const {
      apiVersion: _version,
      kind: _kind,
      ...fields
    } = readConfiguration<WrittenConfiguration>(text, [proxyConfiguration.readable], { isStrict: true });
    return fields;
  } catch (cause) {
    throw new FlagError(`failed to decode: ${messageOf(cause)}`, { cause });
  }
}

function hostnameFlag(flags: FlagValues): string | undefined {
  const text = flags.text('hostname-override');
  if (text === undefined || text === '') return undefined;
  const name = text.trim().toLowerCase();
  if (name === '') throw new FlagError('empty hostname-override is invalid');
  return name;
}

/** Port 0 and an empty address both mean that there is no such port. */
function portFlags(flags: FlagValues): Completion {
  const port = (name: string): number | undefined =>
    flags.has(`${name}-bind-address`) && flags.text(`${name}-bind-address`) === ''
      ? 0
      : flags.integer(`${name}-port`, { min: 0, max: 65_535 });
  return { healthzPort: port('healthz'), metricsPort: port('metrics') };
}
