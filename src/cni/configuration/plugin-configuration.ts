import { CniError } from '../cni-error.ts';
import { FieldReader, type JsonObject, parseObject } from '../field-reader.ts';

/** The configuration of one plugin of a network. */
export interface PluginConfiguration {
  /** The name of the plugin's program. */
  readonly type: string;
  /** Empty where only the network has one. */
  readonly name: string;
  /** Empty where only the network has one. */
  readonly cniVersion: string;
  /** What the runtime may tell the plugin about a container, such as `portMappings`. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  /** Everything that the configuration says, which the plugin gets. */
  readonly fields: JsonObject;
}

export function parsePluginConfiguration(text: string, what = 'plugin configuration'): PluginConfiguration {
  return pluginConfigurationOf(parseObject(text, what), what);
}

/** Checks the members that the protocol knows, in the way libcni does; plugins check their own. */
export function pluginConfigurationOf(fields: JsonObject, what: string): PluginConfiguration {
  const reader = new FieldReader(fields, what);
  const type = reader.text('type') ?? '';
  if (type === '') throw new CniError('InvalidConfiguration', `cannot use ${what}`, { details: 'it has no "type"' });
  checkProgramName(type, what);
  const ipam = reader.object('ipam');
  if (ipam !== undefined) new FieldReader(ipam, `"ipam" of ${what}`).text('type');
  const dns = reader.object('dns');
  if (dns !== undefined) {
    const dnsReader = new FieldReader(dns, `"dns" of ${what}`);
    dnsReader.text('domain');
    for (const name of ['nameservers', 'search', 'options']) dnsReader.texts(name);
  }
  reader.object('prevResult');
  return {
    type,
    name: reader.text('name') ?? '',
    cniVersion: reader.text('cniVersion') ?? '',
    capabilities: capabilitiesOf(reader, what),
    fields,
  };
}

function checkProgramName(type: string, what: string): void {
  if (/[/\\\0]/.test(type) || type === '.' || type === '..')
    throw new CniError('InvalidConfiguration', `cannot use ${what}`, {
      details: `"type" must be the name of a program without a folder, got ${JSON.stringify(type)}`,
    });
}

function capabilitiesOf(reader: FieldReader, what: string): Readonly<Record<string, boolean>> {
  const capabilities = reader.object('capabilities') ?? {};
  const inner = new FieldReader(capabilities, `"capabilities" of ${what}`);
  for (const [name, value] of Object.entries(capabilities))
    if (typeof value !== 'boolean') throw inner.wrong(name, 'true or false', value);
  return capabilities as Readonly<Record<string, boolean>>;
}
