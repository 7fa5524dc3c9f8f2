import {
  type CallOptions,
  type Client,
  CustomResourceDefinition,
  hasReason,
  type Kind,
  type Observed,
} from '../../client/index.ts';
import { applyRegistration } from '../webhooks/apply-registration.ts';
import type { Change } from './changes/change.ts';
import { definitionChanges } from './changes/definition-changes.ts';
import type { DefinedKind } from './defined-kind.ts';
import type { InstallContext } from './install-options.ts';

/**
 * Makes a server serve kinds: applies their definitions and waits until they are established.
 *
 * Refuses a definition that breaks stored objects: an older program must not narrow what a newer one has written.
 */
export async function installKinds(
  client: Client,
  kinds: readonly DefinedKind[],
  context: InstallContext,
): Promise<void> {
  for (const kind of kinds) await kind.install(client, context);
}

/** Installs one kind. */
export async function install(client: Client, kind: DefinedKind, context: InstallContext): Promise<void> {
  const { conversion, force = false, fieldManager, signal, maxRetries } = context;
  const call = { signal, ...(maxRetries === undefined ? {} : { maxRetries }) };
  const definitions = client.kind(CustomResourceDefinition);
  const manifest = kind.manifest({ conversion });
  const name = manifest.metadata?.name ?? '';
  const old = await definitions.get(name, call).catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  });
  const breaking = old === undefined || force ? [] : definitionChanges(old, manifest).filter(isBreaking);
  if (old !== undefined && breaking.length > 0 && (await hasObjects(client, old, call)))
    throw new Error(`Cannot install ${name}: ${describeChanges(breaking)}; convert the objects first, or force it`);
  const applied = await applyRegistration(definitions, manifest, { fieldManager, force: true, ...call });
  if (!isEstablished(applied)) await established(client, name, signal);
}

function isBreaking({ effect }: Change): boolean {
  return effect === 'breaks';
}

function describeChanges(changes: readonly Change[]): string {
  return changes.map(({ path, message }) => `${path} ${message}`).join(', ');
}

async function hasObjects(client: Client, { spec }: CustomResourceDefinition, call: CallOptions): Promise<boolean> {
  const version = spec.versions.find(({ served }) => served)?.name;
  if (version === undefined) return true;
  const { group, names, scope } = spec;
  const kind: Kind = {
    group,
    version,
    apiVersion: `${group}/${version}`,
    kind: names.kind,
    plural: names.plural,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
  };
  const { items } = await client
    .kindIn(kind, undefined)
    .metadata()
    .page({ limit: 1, ...call });
  return items.length > 0;
}

function isEstablished({ status }: Observed<CustomResourceDefinition>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
}

function refusal({ status }: Observed<CustomResourceDefinition>): string | undefined {
  return status?.conditions?.find(({ type, status: is }) => type === 'NamesAccepted' && is === 'False')?.message;
}

/** Watches until the server serves the kind; starts another watch whenever the server ends one. */
async function established(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const definitions = client.kind(CustomResourceDefinition);
  while (!signal.aborted) {
    for await (const event of definitions.watch({ fieldSelector: `metadata.name=${name}`, signal })) {
      if (event.type !== 'ADDED' && event.type !== 'MODIFIED') continue;
      if (isEstablished(event.object)) return;
      const message = refusal(event.object);
      if (message !== undefined) throw new Error(`Cannot install ${name}: ${message}`);
    }
  }
}
