import type { TypedKind, TypedKinds } from '../../../admission/index.ts';
import { builtInTypes, structuralKind, type StructuralSchema, type TypeTable } from '../../../api/index.ts';
import type { CustomResourceDefinition, Observed } from '../../../client/index.ts';

/**
 * The types of all kinds, for programs that run apart from the server: of built-in kinds by the tables, of custom ones by their
 * definitions. A kind that another server serves has none.
 */
export class KnownTypes {
  readonly #types: TypeTable = builtInTypes();

  /** The kinds of a cluster with these definitions. */
  with(definitions: readonly Observed<CustomResourceDefinition>[]): TypedKinds {
    const builtIn = this.#types.resources();
    const resourcesOf = (group: string): readonly NamedKind[] => [
      ...builtIn.filter((resource) => resource.group === group),
      ...definitions.filter(({ spec }) => spec.group === group).flatMap((definition) => this.#kindsOf(definition)),
    ];
    return {
      resourcesOf,
      find(group, version, plural) {
        const resource = resourcesOf(group).find((each) => each.version === version && each.plural === plural);
        return resource === undefined ? undefined : { resource };
      },
    };
  }

  #kindsOf({ spec }: Observed<CustomResourceDefinition>): NamedKind[] {
    const { group, names, versions = [] } = spec;
    const { plural, kind } = names;
    return versions
      .filter(({ served }) => served)
      .map(({ name: version, schema }) => {
        const types = this.#types;
        return {
          group,
          version,
          plural,
          kind,
          get type() {
            const structural = (schema?.openAPIV3Schema ?? {}) as StructuralSchema;
            return structuralKind(structural, { group, version, kind }, { types });
          },
        };
      });
  }
}

type NamedKind = TypedKind & { readonly plural: string };
