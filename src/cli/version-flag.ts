import { type FlagDefinitions, FlagError, type FlagValues, versionInfo } from '../cluster/programs/index.ts';
import { KUBERNETES_VERSION } from '../base/index.ts';

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
export function versionAsked(flags: FlagValues): { readonly printed?: string; readonly reported?: string } {
  const text = flags.text('version') ?? 'false';
  if (text.startsWith('v')) return { reported: reportable(text) };
  if (text === 'raw') return { printed: rawVersion() };
  if (TRUE.test(text)) return { printed: `Kubernetes ${versionInfo().gitVersion}` };
  if (FALSE.test(text)) return {};
  throw new FlagError(
    `--version must be true, false, raw or a version such as "${KUBERNETES_VERSION}-custom", got "${text}"`,
  );
}

/** Clients adapt to the release, so it has to be the one that is served. */
function reportable(text: string): string {
  const core = SEMANTIC.exec(text)?.groups?.['core'];
  if (core === KUBERNETES_VERSION) return text;
  const problem = core === undefined ? 'is not a semantic version' : `is another release than ${KUBERNETES_VERSION}`;
  throw new FlagError(`--version: "${text}" ${problem}`);
}

/** As Go prints the structure. */
function rawVersion(): string {
  const fields = Object.entries(versionInfo()).map(([name, value]) => {
    return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`;
  });
  return `version.Info{${fields.join(', ')}}`;
}
