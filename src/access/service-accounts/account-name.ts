import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../api/index.ts';

const PREFIX = 'system:serviceaccount:';
const ALL_ACCOUNTS = 'system:serviceaccounts';

export interface AccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The user name of a service account. */
export function accountUserName({ namespace, name }: AccountName): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The groups of every service account of a namespace. */
export function accountGroups(namespace: string): readonly string[] {
  return [ALL_ACCOUNTS, `${ALL_ACCOUNTS}:${namespace}`];
}

/** The service account with this user name; undefined when it is not a service account's user name. */
export function accountOf(userName: string): AccountName | undefined {
  if (!userName.startsWith(PREFIX)) return undefined;
  const parts = userName.slice(PREFIX.length).split(':', 3);
  const [namespace = '', name = ''] = parts;
  if (parts.length !== 2 || dns1123LabelProblems(namespace).length > 0 || dns1123SubdomainProblems(name).length > 0)
    return undefined;
  return { namespace, name };
}
