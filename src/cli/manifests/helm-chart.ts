import { encodeYaml } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { AppObjects } from './app-objects.ts';
import { helmTemplate, valuePaths } from './helm-template.ts';
import { documents, type ManifestFile } from './manifest-file.ts';
import type { DeploymentSettings } from './settings.ts';

/** Values that are empty by default. */
const EMPTY: Readonly<Record<string, unknown>> = {
  imagePullSecrets: [],
  nodeSelector: {},
  tolerations: [],
  affinity: {},
};

/** Makes a Helm chart of the same objects, in the namespace of the release. */
export function helmChart(objects: AppObjects, settings: DeploymentSettings): readonly ManifestFile[] {
  const { name, version, description } = settings;
  const head = { apiVersion: 'v2', type: 'application', name, description };
  const template = (list: readonly KubernetesObject[]): string =>
    documents(list, (object) => helmTemplate(object, settings));
  const { definitions } = objects;
  const isConverting = definitions.some(isConverted);
  return [
    { path: 'Chart.yaml', text: encodeYaml({ ...head, version: chartVersion(version), appVersion: version }) },
    { path: 'values.yaml', text: encodeYaml(valuesOf(objects)) },
    // Helm does not render files in crds, but a conversion webhook needs the release's namespace
    isConverting
      ? { path: 'templates/definitions.yaml', text: template(definitions.map(kept)) }
      : { path: 'crds/definitions.yaml', text: documents(definitions) },
    { path: 'templates/access.yaml', text: template(objects.access) },
    { path: 'templates/deployment.yaml', text: template(objects.deployment) },
    { path: 'templates/registrations.yaml', text: template(objects.registrations) },
  ].filter(({ text }) => text !== '');
}

function isConverted(definition: KubernetesObject): boolean {
  const { spec } = definition as { readonly spec?: { readonly conversion?: { readonly strategy?: string } } };
  return spec?.conversion?.strategy === 'Webhook';
}

/** Deleting a definition deletes all objects of the kind, so it outlives the release, as those in `crds` do. */
function kept(definition: KubernetesObject): KubernetesObject {
  const { metadata } = definition;
  const annotations = { ...metadata?.annotations, 'helm.sh/resource-policy': 'keep' };
  return { ...definition, metadata: { ...metadata, annotations } };
}

/** Versions of charts have three numbers. */
function chartVersion(version: string): string {
  return /^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(version) ? version : '0.0.0';
}

/** The default values: those of the Deployment or DaemonSet without Helm. */
function valuesOf({ deployment }: AppObjects): Record<string, unknown> {
  const object = deployment.find(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
  return Object.fromEntries(
    (object === undefined ? [] : valuePaths(object)).map(([name, path]) => [
      name,
      valueAt(object, path) ?? EMPTY[name],
    ]),
  );
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, step) => (at as Readonly<Record<string, unknown>> | undefined)?.[step], value);
}
