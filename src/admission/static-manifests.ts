import { type ConfigurationKind, fieldErrorText, forbiddenField, readConfiguration, TEXT } from '../api/index.ts';

const FIELD = 'staticManifestsDir';
const GATE = 'ManifestBasedAdmissionControlConfig';

/** Webhooks and policies from files are an alpha feature of 1.36, off by default, and not implemented. */
export function refuseStaticManifests(folder: string | undefined): void {
  if ((folder ?? '') === '') return;
  throw new Error(fieldErrorText(forbiddenField(FIELD, `${FIELD} requires the ${GATE} feature gate to be enabled`)));
}

/** Reads the configuration of a policy plugin, which can only name the folder of such files. */
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
