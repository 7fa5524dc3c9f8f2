import { zoneKeyOf } from '../../api/meaning/index.ts';
import type { Node, Observed } from '../../client/index.ts';

/**
 * The order in which nodes are looked at: one of each zone in turn, so that a search that ends early has seen all zones.
 *
 * Example: zone a has n1 and n2, zone b has n3: n1, n3, n2.
 */
export class NodeOrder {
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds the node, or moves it to the zone that it says it is in. True if that changed the order. */
  set(node: Observed<Node>): boolean {
    const { name } = node.metadata;
    const zone = zoneKeyOf(node);
    if (this.#zoneOf.get(name) === zone) return false;
    this.delete(name);
    this.#zoneOf.set(name, zone);
    const names = this.#zones.get(zone);
    if (names === undefined) this.#zones.set(zone, new Set([name]));
    else names.add(name);
    return true;
  }

  delete(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone);
    names?.delete(name);
    if (names?.size === 0) this.#zones.delete(zone);
    return true;
  }

  list(): string[] {
    const names: string[] = [];
    let zones = Array.from(this.#zones.values(), (zone) => zone.values());
    while (zones.length > 0) {
      const open: typeof zones = [];
      for (const zone of zones) {
        const next = zone.next();
        if (next.done === true) continue;
        names.push(next.value);
        open.push(zone);
      }
      zones = open;
    }
    return names;
  }
}
