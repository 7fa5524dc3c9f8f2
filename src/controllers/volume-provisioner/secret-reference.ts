// Secrets that parameters of classes name, by templates, for calls of a driver.
import { Buffer } from 'node:buffer';
import { messageOf } from '../../base/index.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../api/values/index.ts';
import { type Client, Secret } from '../../client/index.ts';
import { NotReadyError } from './volume-driver.ts';

type Texts = Readonly<Record<string, string>>;

/** Parameters of classes with this prefix are for Kubernetes and are not sent to drivers. */
export const RESERVED_PREFIX = 'csi.storage.k8s.io/';

/** Which parameters of a class name a secret. */
export interface SecretParameters {
  /** As messages name them: `Provisioner`. */
  readonly title: string;
  /** `provisioner-secret`, to which `-name` and `-namespace` are added. */
  readonly key: string;
  /** Older names of the two parameters, which drivers get to see. */
  readonly old?: { readonly name: string; readonly namespace: string };
}

export interface SecretReference {
  readonly name: string;
  readonly namespace: string;
}

/** What templates may refer to; tokens of names and of namespaces differ, because users choose the names of claims. */
export interface TemplateTokens {
  readonly name: Texts;
  readonly namespace: Texts;
}

const DEFAULT: SecretParameters = { title: 'Default', key: 'secret' };

/** The secret that the parameters name for one kind of call, or else for all; undefined for none. */
export function secretReference(
  which: SecretParameters,
  parameters: Texts,
  tokens: TemplateTokens,
): SecretReference | undefined {
  const templates =
    templatesOf(which, parameters, 'failed to get name and namespace template from params') ??
    templatesOf(DEFAULT, parameters, 'failed to get default name and namespace template from params');
  if (templates === undefined) return undefined;
  const namespace = resolved(templates.namespace, tokens.namespace);
  if (dns1123LabelProblems(namespace).length > 0) throw invalid(templates.namespace, namespace, 'namespace name');
  const name = resolved(templates.name, tokens.name);
  if (dns1123SubdomainProblems(name).length > 0) throw invalid(templates.name, name, 'secret name');
  return { name, namespace };
}

function templatesOf(which: SecretParameters, parameters: Texts, context: string): SecretReference | undefined {
  const { title, key, old } = which;
  const found = (part: 'name' | 'namespace'): readonly string[] =>
    [parameters[old?.[part] ?? ''], parameters[`${RESERVED_PREFIX}${key}-${part}`]].filter(
      (text) => text !== undefined,
    );
  const [names, namespaces] = [found('name'), found('namespace')];
  if (names.length > 1 || namespaces.length > 1)
    throw new NotReadyError(
      `${context}: ${title} secrets specified in parameters with both "csi" and "${RESERVED_PREFIX}" keys`,
    );
  const [name, namespace] = [names[0], namespaces[0]];
  if (name === undefined && namespace === undefined) return undefined;
  if (name === undefined || namespace === undefined)
    throw new NotReadyError(
      `${context}: either name and namespace for ${title} secrets specified, Both must be specified`,
    );
  if (name === '' || namespace === '')
    throw new NotReadyError(
      `${context}: ${title} secrets specified in parameters but value of either namespace or name is empty`,
    );
  return { name, namespace };
}

function resolved(template: string, tokens: Texts): string {
  const missing = new Set<string>();
  const text = template.replace(/\$\{([^}]*)\}|\$([A-Za-z0-9_]+)/g, (_, braced?: string, plain?: string) => {
    const token = braced ?? plain ?? '';
    if (tokens[token] === undefined) missing.add(token);
    return tokens[token] ?? '';
  });
  if (missing.size === 0) return text;
  const list = [...missing].toSorted().map((token) => JSON.stringify(token));
  throw new NotReadyError(`error resolving value ${JSON.stringify(template)}: invalid tokens: [${list.join(' ')}]`);
}

function invalid(template: string, text: string, what: string): NotReadyError {
  return template === text
    ? new NotReadyError(`${JSON.stringify(template)} is not a valid ${what}`)
    : new NotReadyError(`${JSON.stringify(template)} resolved to ${JSON.stringify(text)} which is not a valid ${what}`);
}

/** The content of a secret, as drivers get it; undefined without a reference. */
export async function readSecret(
  client: Client,
  reference: Partial<SecretReference> | undefined,
  describe: (reference: SecretReference) => string = ({ name, namespace }) =>
    `error getting secret ${name} in namespace ${namespace}`,
): Promise<Texts | undefined> {
  if (reference === undefined) return undefined;
  const { name = '', namespace = '' } = reference;
  try {
    const { data = {} } = await client.kind(Secret).namespace(namespace).get(name);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    );
  } catch (error) {
    throw new NotReadyError(`${describe({ name, namespace })}: ${messageOf(error)}`);
  }
}
