import type { ResourceInfo, Struct } from '../schema/schema.ts';
import type { HttpMethod, ServedResource, SubresourceStyle, TypeSource } from './served-resource.ts';

/** The resources of the type tables, as documents need them. */
export function tableResources(resources: readonly ResourceInfo[], types: TypeSource): ServedResource[] {
  return resources.map((resource) => tableResource(resource, types));
}

function tableResource(resource: ResourceInfo, types: TypeSource): ServedResource {
  const { group, version, plural, kind, namespaced, verbs } = resource;
  return {
    group,
    version,
    plural,
    kind,
    namespaced,
    verbs,
    isCustom: false,
    deleteReturnsObject: deletesReturningObject.get(group)?.includes(plural) ?? false,
    get type() {
      return resource.type;
    },
    get listType() {
      return verbs.includes('list') ? types.struct(`${resource.type.name}List`) : undefined;
    },
    subresources: resource.subresources.map((subresource) => ({
      name: subresource.name,
      verbs: subresource.verbs,
      get type() {
        return subresource.type;
      },
      get style() {
        return subresourceStyle(subresource.name, subresource.verbs, { type: subresource.type, types });
      },
    })),
  };
}

/** Group to the resources whose DELETE answers with the object. */
const deletesReturningObject: ReadonlyMap<string, readonly string[]> = new Map([
  [
    '',
    [
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'podtemplates',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
  ],
  [
    'resource.k8s.io',
    [
      'deviceclasses',
      'devicetaintrules',
      'resourceclaims',
      'resourceclaimtemplates',
      'resourcepoolstatusrequests',
      'resourceslices',
    ],
  ],
  ['storage.k8s.io', ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses']],
]);

const everyMethod: readonly HttpMethod[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** Connections are known by their type: the options of the connection, such as `PodExecOptions`. */
function subresourceStyle(
  name: string,
  verbs: readonly string[],
  { type, types }: { readonly type: Struct; readonly types: TypeSource },
): SubresourceStyle {
  if (type.shortName.endsWith('Options')) {
    const passesOn = verbs.includes('update');
    return { kind: 'connect', methods: passesOn ? everyMethod : ['get', 'post'], options: type, takesPath: passesOn };
  }
  if (name === 'log') return { kind: 'text', options: types.struct(type.name.replace(/Pod$/, 'PodLogOptions')) };
  return { kind: 'object' };
}
