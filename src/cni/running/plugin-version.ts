import { CniError } from '../cni-error.ts';
import { CURRENT_VERSION } from '../cni-version.ts';
import { FieldReader, parseObject } from '../field-reader.ts';
import { callPlugin, type PluginCall } from './execute-plugin.ts';

/** The versions of the specification that a plugin supports, as it says itself. */
export async function pluginVersions({ environment, ...call }: Omit<PluginCall, 'input'>): Promise<readonly string[]> {
  try {
    const printed = await callPlugin({
      ...call,
      input: JSON.stringify({ cniVersion: CURRENT_VERSION }),
      // plugins of the first versions refuse to start without these
      environment: {
        ...environment,
        CNI_COMMAND: 'VERSION',
        CNI_CONTAINERID: '',
        CNI_ARGS: '',
        CNI_NETNS: 'dummy',
        CNI_IFNAME: 'dummy',
        CNI_PATH: 'dummy',
      },
    });
    return parseVersions(printed);
  } catch (error) {
    if (error instanceof CniError && error.message === 'unknown CNI_COMMAND: VERSION') return ['0.1.0'];
    throw error;
  }
}

/** Reads what a plugin printed after VERSION. */
export function parseVersions(text: string): readonly string[] {
  const what = 'the versions of the plugin';
  const reader = new FieldReader(parseObject(text, what), what);
  const cniVersion = reader.text('cniVersion') ?? '';
  if (cniVersion === '')
    throw new CniError('DecodingFailure', `cannot read ${what}`, { details: '"cniVersion" is missing' });
  const supported = reader.texts('supportedVersions') ?? [];
  if (supported.length > 0) return supported;
  if (cniVersion === '0.2.0') return ['0.1.0', '0.2.0'];
  throw new CniError('DecodingFailure', `cannot read ${what}`, { details: '"supportedVersions" is missing' });
}
