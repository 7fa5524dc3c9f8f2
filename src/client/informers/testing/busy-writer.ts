// Creates, changes and deletes ConfigMaps at random, and records each write.
import type { ConfigMap } from '../../../api/types/core/v1.d.ts';
import type { Random } from '../../../base/index.ts';
import type { Stored } from '../../kind.ts';
import { mergePatch } from '../../resource/patch.ts';
import type { ResourceClient } from '../../resource/resource-client.ts';
import { say } from './ledger.ts';

export class BusyWriter {
  /** The writes to each object, in the format of `Ledger.history`. */
  readonly history = new Map<string, string[]>();
  readonly #configMaps: ResourceClient<ConfigMap>;
  readonly #random: Random;
  readonly #names: readonly string[];
  readonly #there = new Map<string, Stored<ConfigMap>>();
  #count = 0;

  constructor(configMaps: ResourceClient<ConfigMap>, random: Random, nameCount = 20) {
    this.#configMaps = configMaps;
    this.#random = random;
    this.#names = Array.from({ length: nameCount }, (_, index) => `thing-${index}`);
  }

  /** One write. */
  async write(): Promise<void> {
    const name = this.#names[this.#random.int(this.#names.length)] ?? '';
    const known = this.#there.get(name);
    if (known === undefined) await this.#create(name);
    else if (this.#random.float() < 0.2) await this.#delete(known);
    else await this.#update(name);
  }

  async #create(name: string): Promise<void> {
    this.#wrote('add', await this.#configMaps.create({ metadata: { name }, data: { count: String(++this.#count) } }));
  }

  async #update(name: string): Promise<void> {
    this.#wrote('update', await this.#configMaps.patch(name, mergePatch({ data: { count: String(++this.#count) } })));
  }

  async #delete({ metadata }: Stored<ConfigMap>): Promise<void> {
    await this.#configMaps.delete(metadata.name);
    this.#there.delete(metadata.name);
    this.#note(metadata.name, `delete ${metadata.uid}`);
  }

  #wrote(what: string, object: Stored<ConfigMap>): void {
    this.#there.set(object.metadata.name, object);
    this.#note(object.metadata.name, `${what} ${say(object)}`);
  }

  #note(name: string, line: string): void {
    this.history.set(name, [...(this.history.get(name) ?? []), line]);
  }
}
