import type { FieldError } from '../../api/index.ts';
import { clone } from '../../base/index.ts';
import {
  type Client,
  clusterKind,
  type Kind,
  type KubernetesObject,
  namespacedKind,
  type Scope,
} from '../../client/index.ts';
import { checkDefinition } from './check-definition.ts';
import { type OlderVersion, VersionConverter } from './conversion.ts';
import type { LocalOptions } from './custom-resource.ts';
import { install } from './install.ts';
import type { InstallContext } from './install-options.ts';
import { loadServerCode } from './load-server-code.ts';
import type { Definition, ManifestOptions, OlderOptions, ResourceOptions, StatusSource } from './resource-options.ts';
import { type AnyVersionOptions, ResourceVersion } from './resource-version.ts';
import { checkRoundTrip, type RoundTripOptions, type RoundTripReport } from './round-trip.ts';
import type { SchemaSource } from './schema-source.ts';

/** What all versions of a kind have in common. */
export interface ResourceIdentity {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly options: Omit<ResourceOptions<SchemaSource, StatusSource, Scope>, 'columns' | 'scale' | 'selectableFields'>;
}

/** A `CustomResource` without its compile-time types. */
export class DefinedResource {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly #identity: ResourceIdentity;
  readonly #newest: ResourceVersion;
  readonly #older: readonly OlderVersion[];
  #localDefinition: Definition | undefined;

  constructor(identity: ResourceIdentity, newest: ResourceVersion, older: readonly OlderVersion[] = []) {
    this.group = identity.group;
    this.version = newest.name;
    this.apiVersion = `${identity.group}/${newest.name}`;
    this.kind = identity.kind;
    this.plural = identity.plural;
    this.scope = identity.scope;
    this.#identity = identity;
    this.#newest = newest;
    this.#older = older;
  }

  get versions(): readonly string[] {
    return [this.version, ...this.#older.map(({ version }) => version.name)];
  }

  get isConverted(): boolean {
    return this.#older.some(({ options }) => options.up !== undefined);
  }

  older(
    name: string,
    version: AnyVersionOptions,
    options: OlderOptions<never, never, unknown, unknown> = {},
  ): DefinedResource {
    if (this.versions.includes(name))
      throw new Error(`Cannot add version "${name}" to ${this.kind}: it is there already`);
    if ((options.up === undefined) !== (options.down === undefined))
      throw new Error(`Cannot add version "${name}" to ${this.kind}: "up" and "down" need each other`);
    const added = { version: new ResourceVersion(name, this.kind, version), options };
    return new DefinedResource(this.#identity, this.#newest, [...this.#older, added]);
  }

  at(version: string): Kind {
    if (!this.versions.includes(version))
      throw new Error(`Cannot use ${this.kind} in version "${version}": it has ${this.versions.join(', ')}`);
    const names = { apiVersion: `${this.group}/${version}`, kind: this.kind, plural: this.plural };
    return this.scope === 'Cluster' ? clusterKind(names) : namespacedKind(names);
  }

  manifest(options: ManifestOptions = {}): Definition {
    return clone(this.#definition(options)); // callers may change their copy
  }

  #definition({ conversion }: ManifestOptions): Definition {
    const { singular = this.kind.toLowerCase(), shortNames, categories, labels, annotations } = this.#identity.options;
    const stored = this.#older.find(({ options }) => options.stored === true)?.version ?? this.#newest;
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        name: `${this.plural}.${this.group}`,
        ...(labels === undefined ? {} : { labels: { ...labels } }),
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      },
      spec: {
        group: this.group,
        names: {
          plural: this.plural,
          singular,
          kind: this.kind,
          listKind: `${this.kind}List`,
          ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
          ...(categories === undefined ? {} : { categories: [...categories] }),
        },
        scope: this.scope,
        ...(this.isConverted ? { conversion: this.#conversion(conversion) } : {}),
        versions: [
          this.#newest.definition({ isStored: stored === this.#newest }),
          ...this.#older.map(({ version, options }) =>
            version.definition({ isStored: stored === version, older: options }),
          ),
        ],
      },
    };
  }

  #conversion(clientConfig: ManifestOptions['conversion']): NonNullable<Definition['spec']['conversion']> {
    if (clientConfig === undefined)
      throw new Error(
        `Cannot write the definition of ${this.kind}: its versions are converted by a webhook; say where that is: manifest({ conversion: { service: { namespace, name, path }, caBundle } })`,
      );
    return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  }

  check(): Promise<readonly FieldError[]> {
    return checkDefinition(this.#local);
  }

  /** The definition with a placeholder for the webhook, for checks that do not use it. */
  get #local(): Definition {
    return (this.#localDefinition ??= this.#definition({ conversion: { url: 'https://localhost/convert' } }));
  }

  async validate(object: unknown, options: LocalOptions = {}): Promise<readonly FieldError[]> {
    const { readObject } = await loadServerCode();
    return readObject(object, this.#local, options).errors;
  }

  async parse(object: unknown, options: LocalOptions = {}): Promise<KubernetesObject> {
    const { acceptObject } = await loadServerCode();
    return acceptObject(object, this.#local, options);
  }

  install(client: Client, context: InstallContext): Promise<void> {
    return install(client, this, context);
  }

  convert(object: KubernetesObject, apiVersion: string): KubernetesObject {
    return new VersionConverter(this.group, this.#newest, this.#older).convert(object, apiVersion);
  }

  checkRoundTrip(options: RoundTripOptions = {}): Promise<RoundTripReport> {
    const older = this.#older.map(({ version }) => version);
    const { kind, group } = this;
    return checkRoundTrip(
      {
        kind,
        group,
        newest: this.#newest,
        older,
        convert: (object, apiVersion) => this.convert(object, apiVersion),
        parse: (object) => this.parse(object),
      },
      options,
    );
  }
}
