/** What ADD has made, in the form of versions 1.0.0 and 1.1.0. `convertResult` turns it into those of others. */
export interface CniResult {
  readonly cniVersion?: string;
  readonly interfaces?: readonly CniInterface[];
  readonly ips?: readonly CniAddress[];
  readonly routes?: readonly CniRoute[];
  readonly dns?: CniDns;
}

/** An interface that a plugin made or moved. */
export interface CniInterface {
  readonly name: string;
  readonly mac?: string;
  readonly mtu?: number;
  /** The path of the network namespace; absent for an interface of the machine. */
  readonly sandbox?: string;
  readonly socketPath?: string;
  readonly pciID?: string;
}

/** An address that a plugin assigned. */
export interface CniAddress {
  /** With the length of its network: `10.1.0.5/16`. */
  readonly address: string;
  readonly gateway?: string;
  /** Which of `interfaces` has it. */
  readonly interface?: number;
}

/** A route in a result. */
export interface CniRoute {
  readonly dst: string;
  readonly gw?: string;
  readonly mtu?: number;
  readonly advmss?: number;
  readonly priority?: number;
  readonly table?: number;
  readonly scope?: number;
}

/** The DNS settings in a result. */
export interface CniDns {
  readonly nameservers?: readonly string[];
  readonly domain?: string;
  readonly search?: readonly string[];
  readonly options?: readonly string[];
}

/** The form of versions 0.3.0 to 0.4.0: addresses name their family, interfaces have less. */
export interface CniResult040 extends Omit<CniResult, 'ips'> {
  readonly cniVersion: string;
  readonly ips?: readonly (CniAddress & { readonly version: string })[];
}

/** The form of versions 0.1.0 and 0.2.0: one address of each family. */
export interface CniResult020 {
  readonly cniVersion: string;
  readonly ip4?: CniAddress020;
  readonly ip6?: CniAddress020;
  readonly dns?: CniDns;
}

export interface CniAddress020 {
  readonly ip: string;
  readonly gateway?: string;
  readonly routes?: readonly CniRoute[];
}

/** A result in the form of its `cniVersion`. */
export type VersionedResult = (CniResult & { readonly cniVersion: string }) | CniResult040 | CniResult020;
