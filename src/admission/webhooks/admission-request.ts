import type { AdmissionAttributes } from '../../apiserver/index.ts';

/**
 * What webhooks and expressions see of a request besides its objects, as an AdmissionRequest: `attributes` has the
 * matched version, and what the client requested.
 */
export function admissionRequest(attributes: AdmissionAttributes): AdmissionRequestMembers {
  const { kind, resource, subresource, name, namespace, operation, user, dryRun, options } = attributes;
  const below = subresource === '' ? undefined : subresource;
  return {
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    resource: { group: resource.group, version: resource.version, resource: resource.plural },
    ...stated({ subResource: below }),
    requestKind: attributes.requestKind,
    requestResource: attributes.requestResource,
    ...stated({ requestSubResource: below, name: name || undefined, namespace: namespace || undefined }),
    operation,
    userInfo: {
      username: user.name,
      ...stated({ uid: user.uid || undefined }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
      ...(Object.keys(user.extra ?? {}).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options: options ?? null,
  };
}

export interface AdmissionRequestMembers {
  readonly userInfo: object;
  readonly dryRun: boolean;
  readonly options: object | null;
  readonly [member: string]: unknown;
}

function stated(members: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
