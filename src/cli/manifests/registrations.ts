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

const KINDS: readonly Kind[] = [
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  APIService,
];

/** What an app has written by which API servers come to ask it; without the authority of its certificate, which it adds itself. */
export async function registrationsOf(admin: Client, app: string): Promise<readonly KubernetesObject[]> {
  const found: KubernetesObject[] = [];
  for (const kind of KINDS) {
    const { items } = await admin.kindIn(kind, undefined).list();
    const own = items.filter(({ metadata }) => metadata.managedFields?.some(({ manager }) => manager === app));
    found.push(...own.map((object) => stated(kind, object)));
  }
  return found;
}

/** An object as somebody would write it, less what the server has added. */
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
