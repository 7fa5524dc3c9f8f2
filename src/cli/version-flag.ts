import { type FlagDefinitions, FlagError, type FlagValues, versionInfo } from '../cluster/programs/index.ts';
import { DEFAULT_KUBERNETES_VERSION, KUBERNETES_RELEASES, type KubernetesVersion } from '../base/index.ts';

/** `--version` of Kubernetes' programs. */
export const versionFlags: FlagDefinitions = {
  version: {
    type: 'string',
    value: '[raw|vX.Y.Z…]',
    bare: 'true',
    default: 'false',
    help: 'Print the version and stop; vX.Y.Z… sets the version that is reported',
  },
};

const PRERELEASE = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMANTIC = new RegExp(
  `^(?<core>v(?:0|[1-9]\\d*)(?:\\.(?:0|[1-9]\\d*)){2})(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);
const TRUE = /^(?:1|t|T|TRUE|true|True)$/;
const FALSE = /^(?:0|f|F|FALSE|false|False)$/;

/** What `--version` asks for: a text to print instead of running, or the version that the program reports. */
export function versionAsked(
  flags: FlagValues,
  kubernetes: KubernetesVersion = DEFAULT_KUBERNETES_VERSION,
): { readonly printed?: string; readonly reported?: string } {
  const text = flags.text('version') ?? 'false';
  if (text.startsWith('v')) return { reported: reportable(text, KUBERNETES_RELEASES[kubernetes]) };
  if (text === 'raw') return { printed: rawVersion(kubernetes) };
  if (TRUE.test(text)) return { printed: `Kubernetes ${versionInfo(kubernetes).gitVersion}` };
  if (FALSE.test(text)) return {};
  throw new FlagError(
    `--version must be true, false, raw or a version such as "${KUBERNETES_RELEASES[kubernetes]}-custom", got "${text}"`,
  );
}

/** Clients adapt to the release, so it has to be the one that is served. */
function reportable(text: string, release: string): string {
  const core = SEMANTIC.exec(text)?.groups?.['core'];
  if (core === release) return text;
  const problem = core === undefined ? 'is not a semantic version' : `is another release than ${release}`;
  throw new FlagError(`--version: "${text}" ${problem}`);
}

/** As Go prints the structure. */
function rawVersion(kubernetes: KubernetesVersion): string {
  const fields = Object.entries(versionInfo(kubernetes)).map(([name, value]) => {
    return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`;
  });
  return `version.Info{${fields.join(', ')}}`;
}
