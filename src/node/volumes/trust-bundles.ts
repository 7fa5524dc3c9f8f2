import { type DeepReadonly, messageOf, type Random } from '../../base/index.ts';
import { matchLabelSelector } from '../../api/client.ts';
import { type Client, hasReason } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type Source = DeepReadonly<core.ClusterTrustBundleProjection>;

/** The certificates of the ClusterTrustBundles that a volume asks for, each once, in a random order, so that no program relies on one. */
export async function trustAnchors(client: Client, source: Source, random: Random): Promise<string> {
  const bundles =
    source.name === undefined ? await bySigner(client, source) : await byName(client, source.name, source);
  const anchors = new Map<string, string>();
  for (const bundle of bundles)
    for (const [pem] of bundle.matchAll(CERTIFICATE)) anchors.set(pem.replaceAll(/\s/g, ''), `${pem.trim()}\n`);
  const list = [...anchors.values()];
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = random.int(last + 1);
    [list[last], list[other]] = [list[other] ?? '', list[last] ?? ''];
  }
  return list.join('');
}

async function byName(client: Client, name: string, { optional = false }: Source): Promise<readonly string[]> {
  try {
    const { spec } = await client.certificates.v1beta1.clustertrustbundles.get(name);
    return [spec.trustBundle];
  } catch (error) {
    if (optional && hasReason(error, 'NotFound')) return [];
    throw new Error(`while getting ClusterTrustBundle: ${messageOf(error)}`, { cause: error });
  }
}

async function bySigner(client: Client, source: Source): Promise<readonly string[]> {
  const { signerName, labelSelector, optional = false } = source;
  if (signerName === undefined)
    throw new Error('ClusterTrustBundle projection requires either name or signerName to be set');
  const matcher = matchLabelSelector(labelSelector);
  if (matcher instanceof Error) throw new Error(`while parsing label selector: ${matcher.message}`);
  const { items } = await client.certificates.v1beta1.clustertrustbundles.list();
  const found = items.filter(
    ({ metadata, spec }) => spec.signerName === signerName && matcher.matches(metadata.labels ?? {}),
  );
  if (found.length === 0 && !optional)
    throw new Error('combination of signerName and labelSelector matched zero ClusterTrustBundles');
  return found.map(({ spec }) => spec.trustBundle);
}
