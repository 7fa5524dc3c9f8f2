import {
  DEFAULT_KUBERNETES_VERSION,
  isKubernetesVersion,
  KUBERNETES_RELEASES,
  type KubernetesVersion,
} from '../../../base/index.ts';
import { type FlagDefinitions, FlagError, type FlagValues } from '../flag.ts';

/** The flag of every command that starts an API server. */
export const kubernetesVersionFlags: FlagDefinitions = {
  'kubernetes-version': {
    group: 'API enablement',
    type: 'string',
    value: '1.N',
    default: DEFAULT_KUBERNETES_VERSION,
    help: `Serve the API of this version of Kubernetes: ${listed('or')}`,
  },
};

export function kubernetesVersionOf(flags: FlagValues): KubernetesVersion {
  const text = flags.text('kubernetes-version') ?? DEFAULT_KUBERNETES_VERSION;
  if (isKubernetesVersion(text)) return text;
  throw new FlagError(`--kubernetes-version must be ${listed('or')}, got "${text}"`);
}

/** `1.33, 1.34 or 1.35` */
function listed(conjunction: string): string {
  const all = Object.keys(KUBERNETES_RELEASES);
  return `${all.slice(0, -1).join(', ')} ${conjunction} ${all.at(-1) ?? ''}`;
}
