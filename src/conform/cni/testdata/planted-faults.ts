import type { PluginKind } from '../cni-options.ts';

/** A fault of the broken plugin, and the case that must find it. */
export interface PlantedFault {
  readonly fault: string;
  readonly kind: PluginKind;
  readonly foundBy: string;
}

const of =
  (kind: PluginKind) =>
  ([fault, foundBy]: readonly [string, string]): PlantedFault => ({ fault, kind, foundBy });

export const plantedFaults: readonly PlantedFault[] = [
  ...(
    [
      ['no-supported-versions', 'version'],
      ['version-not-repeated', 'version-repeated'],
      ['prints-noise', 'add'],
      ['wrong-result-version', 'add-version'],
      ['ignores-ifname', 'add-other-name'],
      ['wrong-sandbox', 'add-interface'],
      ['address-not-set', 'add-addresses'],
      ['wrong-index', 'add-addresses'],
      ['phantom-interface', 'add-host-interfaces'],
      ['add-again-succeeds', 'add-again'],
      ['add-again-removes', 'add-again'],
      ['check-fails', 'check'],
      ['check-always-succeeds', 'check-missing-interface'],
      ['check-prints', 'check-silent'],
      ['del-keeps-interface', 'del'],
      ['del-prints', 'del-silent'],
      ['del-again-fails', 'del-again'],
      ['del-unknown-fails', 'del-unknown'],
      ['del-needs-namespace', 'del-without-namespace'],
      ['del-needs-result', 'del-without-result'],
      ['del-keeps-address-without-namespace', 'del-gone-namespace'],
      ['leaks-on-failure', 'del-after-failed-add'],
      ['status-fails', 'status'],
      ['gc-removes-valid', 'gc'],
      ['gc-keeps-all', 'gc-collects'],
      ['errors-exit-0', 'unsupported-version'],
      ['error-on-stderr', 'error-format'],
      ['wrong-error-code', 'unsupported-version-code'],
      ['unnamed-variables', 'missing-netns-code'],
      ['any-container-id', 'bad-container-id'],
      ['no-lock', 'concurrent-add'],
      ['del-keeps-address', 'no-leaks'],
      ['leaks-interfaces', 'concurrent-del'],
    ] as const
  ).map(of('interface')),
  ...(
    [
      ['drops-previous-result', 'add-passes-on'],
      ['loses-addresses', 'add-passes-on'],
    ] as const
  ).map(of('chained')),
  ...(
    [
      ['ipam-with-interfaces', 'add-ipam-result'],
      ['check-always-succeeds', 'check-released'],
      ['del-keeps-address', 'no-leaks'],
    ] as const
  ).map(of('ipam')),
];
