import { encodeYaml } from '../../api/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { DeploymentSettings } from './settings.ts';

/** The values that users of the chart may set: by name, with their path in the Deployment. */
const VALUES = {
  replicas: ['spec', 'replicas'],
  image: ['spec', 'template', 'spec', 'containers', '0', 'image'],
  resources: ['spec', 'template', 'spec', 'containers', '0', 'resources'],
  imagePullSecrets: ['spec', 'template', 'spec', 'imagePullSecrets'],
  nodeSelector: ['spec', 'template', 'spec', 'nodeSelector'],
  tolerations: ['spec', 'template', 'spec', 'tolerations'],
  affinity: ['spec', 'template', 'spec', 'affinity'],
} as const;

/** The values of an object, with their paths: a Deployment has all, a DaemonSet no replicas. */
export function valuePaths({
  kind,
}: Pick<KubernetesObject, 'kind'>): readonly (readonly [string, readonly string[]])[] {
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return [];
  return Object.entries(VALUES).filter(([name]) => kind === 'Deployment' || name !== 'replicas');
}

const RELEASE_NAMESPACE = '.Release.Namespace';

/**
 * An object as a template of Helm. Escapes text that looks like a template, and inserts the release's namespace and, in
 * a Deployment, the values. Example: `replicas: {{ .Values.replicas | toJson }}`.
 */
export function helmTemplate(object: KubernetesObject, { namespace }: Pick<DeploymentSettings, 'namespace'>): string {
  const marks = new Marks(encodeYaml(object));
  const placed = inReleaseNamespace(object, { namespace, marks }) as KubernetesObject;
  const values = valuePaths(object);
  const marked = values.reduce(
    (at: unknown, [name, path]) => withValue(at, path, marks.of(`.Values.${name} | toJson`)),
    placed,
  );
  return marks.replace(encodeYaml(marked).replaceAll('{{', '{{ "{{" }}'));
}

/** Placeholders for expressions while an object is printed, which YAML neither quotes nor wraps. */
class Marks {
  readonly #expressions: string[] = [];
  readonly #word: string;

  /** `text` is what the marks are put into: none of its words is taken for a mark. */
  constructor(text: string) {
    let word = 'keelsonMark';
    while (text.includes(word)) word += 'k';
    this.#word = word;
  }

  of(expression: string): string {
    return `${this.#word}${this.#expressions.push(expression) - 1}x`;
  }

  replace(text: string): string {
    return text.replaceAll(new RegExp(`${this.#word}(\\d+)x`, 'g'), (word, index: string) => {
      const expression = this.#expressions[Number(index)];
      return expression === undefined ? word : `{{ ${expression} }}`;
    });
  }
}

interface Renaming {
  readonly namespace: string;
  readonly marks: Marks;
}

/**
 * The object with the namespace replaced where one is named: as `namespace`, in selectors of namespaces, in
 * `NAMESPACE/NAME`.
 */
function inReleaseNamespace(value: unknown, renaming: Renaming, key = ''): unknown {
  const { namespace, marks } = renaming;
  if (Array.isArray(value)) return value.map((item) => inReleaseNamespace(item, renaming, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, inReleaseNamespace(field, renaming, name)]),
    );
  if (value === namespace && (key === 'namespace' || key === 'values'))
    return marks.of(`${RELEASE_NAMESPACE} | toJson`);
  const account = `system:serviceaccount:${namespace}:`;
  if (typeof value === 'string' && key === 'expression' && value.includes(account))
    return value.replace(account, `system:serviceaccount:${marks.of(RELEASE_NAMESPACE)}:`);
  if (typeof value === 'string' && key === 'value' && value.startsWith(`${namespace}/`))
    return `${marks.of(RELEASE_NAMESPACE)}${value.slice(namespace.length)}`;
  return value;
}

function withValue(value: unknown, [step, ...path]: readonly string[], placed: string): unknown {
  if (step === undefined) return placed;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === step ? withValue(item, path, placed) : item));
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...members, [step]: withValue(members[step], path, placed) };
}
