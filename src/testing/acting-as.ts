import type { PolicyRule } from '../api/types/rbac/v1.d.ts';
import type { Client } from '../client/index.ts';

/** A user or service account in a test, and its rules beside those of every authenticated user. */
export type TestActor = TestActorRules &
  (
    | { readonly user: string; readonly groups?: readonly string[] }
    /** `namespace/name`; created if it does not exist. */
    | { readonly serviceAccount: string }
  );

interface TestActorRules {
  readonly rules: readonly PolicyRule[];
  /** The namespace in which the rules hold; default the whole cluster. */
  readonly namespace?: string;
}

/** The user of a client. */
export interface TestIdentity {
  readonly user: string;
  readonly groups: readonly string[];
}

const GROUP = 'rbac.authorization.k8s.io';

/** Grants exactly these rules, and revokes those of an earlier call. */
export async function grant(admin: Client, actor: TestActor): Promise<TestIdentity> {
  const identity = identityOf(actor);
  if ('serviceAccount' in actor) await makeAccount(admin, accountOf(actor.serviceAccount));
  const name = `keelson-testing:${identity.user}`;
  const metadata = { name };
  const rules = actor.rules.map((rule) => ({ ...rule }));
  const subjects = [{ kind: 'User', apiGroup: GROUP, name: identity.user }];
  const options = { fieldManager: 'keelson-testing', force: true };
  const { clusterroles, clusterrolebindings, roles, rolebindings } = admin.rbac.v1;
  if (actor.namespace === undefined) {
    await clusterroles.apply({ metadata, rules }, options);
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
    await clusterrolebindings.apply({ metadata, roleRef, subjects }, options);
  } else {
    await roles.namespace(actor.namespace).apply({ metadata, rules }, options);
    const roleRef = { apiGroup: GROUP, kind: 'Role', name };
    await rolebindings.namespace(actor.namespace).apply({ metadata, roleRef, subjects }, options);
  }
  return identity;
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

function identityOf(actor: TestActor): TestIdentity {
  if ('user' in actor) return { user: actor.user, groups: actor.groups ?? [] };
  const { namespace, name } = accountOf(actor.serviceAccount);
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
}

function accountOf(text: string): Account {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new Error(`Cannot act as service account "${text}": it is written namespace/name`);
  return { namespace, name };
}

async function makeAccount(admin: Client, { namespace, name }: Account): Promise<void> {
  await admin.core.v1.serviceaccounts
    .namespace(namespace)
    .apply({ metadata: { name } }, { fieldManager: 'keelson-testing' });
}
