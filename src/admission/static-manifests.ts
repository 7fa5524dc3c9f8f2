import { type ConfigurationKind, fieldErrorText, forbiddenField, readConfiguration, TEXT } from '../api/index.ts';

const FIELD = 'staticManifestsDir';
const GATE = 'ManifestBasedAdmissionControlConfig';

/** Webhooks and policies from files are an alpha feature of 1.36, which is off by default, and not here. */
export function refuseStaticManifests(folder: string | undefined): void {
  if ((folder ?? '') === '') return;
  throw new Error(fieldErrorText(forbiddenField(FIELD, `${FIELD} requires the ${GATE} feature gate to be enabled`)));
}

/** Reads the configuration of one of the policy plugins, which can say nothing else than where such files are. */
export function checkPolicyConfiguration(kind: string, configuration: string | undefined): void {
  if (configuration === undefined) return;
  const known: ConfigurationKind = {
    group: 'apiserver.config.k8s.io',
    kind,
    versions: ['v1'],
    fields: () => ({ [FIELD]: TEXT }),
  };
  const read = readConfiguration<Readonly<Record<typeof FIELD, string | undefined>>>(configuration, [known], {
    isStrict: true,
  });
  refuseStaticManifests(read[FIELD]);
}
