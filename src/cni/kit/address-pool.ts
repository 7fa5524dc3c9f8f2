import { link, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseIp } from '../../api/values/index.ts';
import { CniError } from '../cni-error.ts';
import type { CniAddress } from '../results/cni-result.ts';
import type { IpRange, ValidAttachment } from '../running/attachment.ts';
import { type AddressRange, addressText, isIn, numberOf, readRange, sizeOf } from './address-range.ts';

export interface AddressPoolOptions {
  /** Where addresses are kept, one file each. Of one network: other networks have folders of their own. */
  readonly folder: string;
  /** For each address that a container gets, the ranges to take it from: `[[{ subnet: '10.1.0.0/24' }]]`; two for dual stack. */
  readonly ranges: readonly (readonly IpRange[])[];
}

/** Who has an address. A request of a plugin is one. */
export interface AddressOwner {
  readonly containerId: string;
  readonly ifName: string;
}

/** Addresses of containers, kept in files: what an IPAM plugin is made of. */
export function addressPool(options: AddressPoolOptions): AddressPool {
  return new AddressPool(options);
}

/**
 * Guarantees: an address has one owner, however many plugins run at the same time and whenever one of them is killed. An address is a file,
 * named by it, that is linked into place with its content; only one process can do that, so there is no lock to be left behind.
 *
 * Example: `10.1.0.7` contains `CONTAINER\neth0`. `last-0` has the last address of the first list of ranges: the next one is searched after
 * it, so that an address is not given to another container at once.
 */
export class AddressPool {
  readonly #folder: string;
  readonly #sets: readonly (readonly AddressRange[])[];

  constructor({ folder, ranges }: AddressPoolOptions) {
    this.#folder = folder;
    this.#sets = ranges.map((set) => set.map(readRange));
    if (this.#sets.length === 0 || this.#sets.some((set) => set.length === 0))
      throw new CniError('InvalidConfiguration', 'no ranges of addresses are configured');
  }

  /** One address of each list of ranges; `wanted` are addresses that it must be. Throws when the owner has one already, or none is free. */
  async allocate(
    owner: AddressOwner,
    { wanted = [] }: { readonly wanted?: readonly string[] } = {},
  ): Promise<readonly CniAddress[]> {
    const held = await this.addresses(owner);
    if (held.length > 0)
      throw new CniError(ALREADY_ALLOCATED, `${held.join(', ')} has been allocated to ${owner.containerId} already`);
    const asked = wanted.map(wantedNumber);
    const found: CniAddress[] = [];
    const written = await this.#write(owner);
    try {
      for (const [index, set] of this.#sets.entries()) {
        const at = asked.findIndex(({ number, bits }) =>
          set.some((range) => range.bits === bits && isIn(range, number)),
        );
        const [one] = at < 0 ? [] : asked.splice(at, 1);
        found.push(one === undefined ? await this.#next(written, set, index) : await this.#take(written, set, one));
      }
      if (asked.length > 0) throw unavailable(`${asked.map(({ text }) => text).join(', ')} is in no range`);
      return found;
    } catch (error) {
      if (found.length > 0) await this.release(owner);
      throw error;
    } finally {
      await rm(written, { force: true });
    }
  }

  /** Gives all addresses of an owner back. Nothing happens when it has none. */
  async release(owner: AddressOwner): Promise<void> {
    await this.#removeWhere((text) => text === ownerText(owner));
  }

  /** The addresses that an owner has. */
  async addresses(owner: AddressOwner): Promise<readonly string[]> {
    const wanted = ownerText(owner);
    const found: string[] = [];
    for (const name of await this.#names()) if ((await this.#text(name)) === wanted) found.push(name);
    return found;
  }

  /**
   * Gives the addresses back of everything that does not exist any more, and removes files that are damaged or that a killed plugin has left.
   * Assumes that no address is allocated meanwhile, which runtimes guarantee for GC.
   */
  async collect(valid: readonly ValidAttachment[]): Promise<void> {
    const kept = new Set(
      valid.map(({ containerID, ifname }) => ownerText({ containerId: containerID, ifName: ifname })),
    );
    await this.#removeWhere((text) => !kept.has(text));
    const names = await readdir(this.#folder).catch(() => []); // nothing was allocated yet
    for (const name of names.filter((each) => each.startsWith('.')))
      await rm(join(this.#folder, name), { force: true });
  }

  /** Throws, as STATUS wants it, when no container can get an address. */
  async requireFree(): Promise<void> {
    const taken = await this.#taken();
    for (const set of this.#sets) {
      const size = set.reduce((sum, range) => sum + sizeOf(range), 0n);
      const used = [...taken].filter((number) => set.some((range) => isIn(range, number))).length;
      if (BigInt(used) >= size)
        throw new CniError('NotAvailable', 'no IP addresses available', { details: `all ${size} are allocated` });
    }
  }

  async #next(written: string, set: readonly AddressRange[], index: number): Promise<CniAddress> {
    const taken = await this.#taken();
    for (const { range, number } of candidates(set, await this.#lastOf(index))) {
      if (taken.has(number) || !(await this.#reserve(written, addressText(number, range.bits)))) continue;
      await this.#keepLast(index, addressText(number, range.bits));
      return addressOf(range, number);
    }
    throw unavailable('all are allocated');
  }

  async #take(
    written: string,
    set: readonly AddressRange[],
    { number, bits, text }: WantedAddress,
  ): Promise<CniAddress> {
    const range = set.find((each) => each.bits === bits && isIn(each, number));
    if (range === undefined || !(await this.#reserve(written, text))) throw unavailable(`${text} is allocated`);
    return addressOf(range, number);
  }

  /** A file with the owner in it, on the disk, that `#reserve` gives the names of addresses. */
  async #write(owner: AddressOwner): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o755 });
    const written = join(this.#folder, `.${process.pid}-${owner.containerId}-${owner.ifName}`);
    const file = await open(written, 'w', 0o600);
    try {
      await file.writeFile(ownerText(owner));
      await file.sync();
    } finally {
      await file.close();
    }
    return written;
  }

  /** Gives the file the name of an address; false when another owner has it. */
  async #reserve(written: string, address: string): Promise<boolean> {
    try {
      await link(written, join(this.#folder, address));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  async #removeWhere(isStale: (text: string) => boolean): Promise<void> {
    for (const name of await this.#names()) {
      const text = await this.#text(name);
      if (text !== undefined && isStale(text)) await rm(join(this.#folder, name), { force: true });
    }
  }

  /** The names of files that are addresses. */
  async #names(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []; // nothing was allocated yet
      throw error;
    });
    return names.filter((name) => !name.startsWith('.') && parseIp(name) !== undefined);
  }

  async #taken(): Promise<ReadonlySet<bigint>> {
    return new Set((await this.#names()).map((name) => numberOf(parseIp(name) ?? { bytes: [] })));
  }

  async #text(name: string): Promise<string | undefined> {
    return readFile(join(this.#folder, name), 'utf8').catch(() => undefined); // given back by now
  }

  async #lastOf(index: number): Promise<bigint | undefined> {
    const address = parseIp((await this.#text(`last-${index}`)) ?? '');
    return address === undefined ? undefined : numberOf(address);
  }

  /** A hint only: one that is torn or lost costs nothing but the order. */
  async #keepLast(index: number, address: string): Promise<void> {
    await writeFile(join(this.#folder, `last-${index}`), address, { mode: 0o600 });
  }
}

/** A code of our own: the specification has none for it. */
const ALREADY_ALLOCATED = 100;

interface WantedAddress {
  readonly number: bigint;
  readonly bits: number;
  readonly text: string;
}

/** Reads an address, with or without the length of its network. */
function wantedNumber(given: string): WantedAddress {
  const address = parseIp(given.replace(/\/\d+$/, ''));
  if (address === undefined)
    throw new CniError('InvalidConfiguration', 'invalid address', {
      details: `${JSON.stringify(given)} is no IP address`,
    });
  const [number, bits] = [numberOf(address), address.bytes.length * 8];
  return { number, bits, text: addressText(number, bits) };
}

/** All addresses of the ranges, from the one after `last` on, and round to it. */
function* candidates(
  set: readonly AddressRange[],
  last: bigint | undefined,
): Generator<{ readonly range: AddressRange; readonly number: bigint }> {
  const start = last === undefined ? -1 : set.findIndex((range) => isIn(range, last));
  const from = start < 0 ? 0 : start;
  for (let step = 0; step <= set.length; step++) {
    const range = set[(from + step) % set.length];
    if (range === undefined) return;
    const isFirst = step === 0 && start >= 0;
    const isAgain = step === set.length;
    const first = isFirst && last !== undefined ? last + 1n : range.first;
    const end = isAgain && start >= 0 && last !== undefined ? last : range.last;
    if (isAgain && start < 0) return;
    for (let number = first; number <= end; number++) if (number !== range.gateway) yield { range, number };
  }
}

function addressOf(range: AddressRange, number: bigint): CniAddress {
  return {
    address: `${addressText(number, range.bits)}/${range.length}`,
    gateway: addressText(range.gateway, range.bits),
  };
}

function ownerText({ containerId, ifName }: AddressOwner): string {
  return `${containerId}\n${ifName}`;
}

function unavailable(details: string): CniError {
  return new CniError('TryAgainLater', 'no IP addresses available', { details });
}
