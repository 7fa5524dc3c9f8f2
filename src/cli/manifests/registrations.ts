import {
  APIService,
  type Client,
  type Kind,
  type KubernetesObject,
  MutatingWebhookConfiguration,
  type Observed,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../client/index.ts';
import type { App } from '../../kit/index.ts';

const KINDS: readonly Kind[] = [
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  APIService,
];

/** Whether an app has written an object of each kind that it declares. */
export async function hasRegistered(admin: Client, { name, needs }: Pick<App, 'name' | 'needs'>): Promise<boolean> {
  const isDeclared = ({ group, plural }: Kind): boolean =>
    needs.some((need) => need.group === group && need.resource === plural && need.verbs.includes('create'));
  const written = await registrationsOf(admin, name);
  return KINDS.filter(isDeclared).every(({ kind }) => written.some((object) => object.kind === kind));
}

/** The registrations that an app has written, without the authority of its certificate, which it adds itself. */
export async function registrationsOf(admin: Client, app: string): Promise<readonly KubernetesObject[]> {
  const found: KubernetesObject[] = [];
  for (const kind of KINDS) {
    const { items } = await admin.kindIn(kind, undefined).list();
    const own = items.filter(({ metadata }) => metadata.managedFields?.some(({ manager }) => manager === app));
    found.push(...own.map((object) => stated(kind, object)));
  }
  return found;
}

/** An object as a user would write it, without the fields that the server adds. */
function stated({ apiVersion, kind }: Kind, object: Observed<KubernetesObject>): KubernetesObject {
  const { metadata, status: _, ...rest } = object as Observed<KubernetesObject> & { readonly status?: unknown };
  const { name, labels, annotations } = metadata;
  const kept = {
    name,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { ...(withoutAuthority(rest) as object), apiVersion, kind, metadata: kept };
}

function withoutAuthority(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAuthority);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'caBundle');
  return Object.fromEntries(entries.map(([name, field]) => [name, withoutAuthority(field)]));
}
