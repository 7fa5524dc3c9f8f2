import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Tests that are left out, by a part of their names, and why: what they need is not there, whatever runs the pods. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/\[Feature:Windows\]/, 'needs Windows'],
  [/\[Feature:SELinux\]/, 'needs a kernel with SELinux'],
  [/\[Feature:OffByDefault\]/, 'needs an alpha feature'],
  [/\[Disruptive\]/, 'stops the kubelet over ssh'],
  [/\[Feature:snapshotmetadata\]/, 'needs a sidecar that no Go proxy has'],
];
const GROUPS = /\[Feature:volumegroupsnapshot\]/;

/** The VolumeAttributesClass that the suite copies. */
export const ATTRIBUTES_CLASS = 'hostpath-attributes';

interface SpecReport {
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly LeafNodeText?: string;
  readonly LeafNodeType?: string;
  readonly State?: string;
}

export interface FoundSpecs {
  readonly names: readonly string[];
  /** How many are left out, by the reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Asks the suite which tests it has; those of a driver exist once the file about it is given. */
export async function findSpecs(
  suite: string,
  { flags, folder }: { readonly flags: readonly string[]; readonly folder: string },
): Promise<readonly string[]> {
  const report = join(folder, 'specs.json');
  const args = ['--ginkgo.dry-run', `--ginkgo.json-report=${report}`, '--provider=skeleton', ...flags];
  const child = spawn(suite, args, { stdio: 'ignore', env: { ...process.env, KUBECONFIG: '/dev/null' } });
  await once(child, 'close');
  return readSpecs(await readFile(report, 'utf8'));
}

/** The names in a report of a dry run. */
export function readSpecs(report: string): string[] {
  const suites = JSON.parse(report) as readonly { readonly SpecReports?: readonly SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map(({ ContainerHierarchyTexts, LeafNodeText }) =>
      [...(ContainerHierarchyTexts ?? []), LeafNodeText ?? ''].join(' '),
    )
    .toSorted();
}

export interface Selection {
  readonly pattern: RegExp;
  readonly focus: RegExp | undefined;
  readonly sample: number | undefined;
  /** Whether snapshots of groups of volumes are taken. */
  readonly hasGroups?: boolean;
}

/** The tests of a part that can run here, and how many cannot. */
export function selectSpecs(all: readonly string[], { pattern, focus, sample, hasGroups }: Selection): FoundSpecs {
  const marked =
    hasGroups === true ? LEFT_OUT : [...LEFT_OUT, [GROUPS, 'needs a feature gate of the sidecars'] as const];
  const leftOut = new Map<string, number>();
  const fitting = all.filter((name) => {
    if (!pattern.test(name) || focus?.test(name) === false) return false;
    const reason = marked.find(([marks]) => marks.test(name))?.[1];
    if (reason !== undefined) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  if (sample === undefined || sample >= fitting.length) return { names: fitting, leftOut };
  const names = Array.from({ length: sample }, (_, index) => fitting[Math.floor((index * fitting.length) / sample)]);
  return { names: names.filter((name) => name !== undefined), leftOut };
}

/** What the suite is told of the host path driver, as the driver's own project tells it; a current release can do more. */
export async function writeDriverFile(
  folder: string,
  { name, isCurrent }: { readonly name: string; readonly isCurrent: boolean },
): Promise<string> {
  const path = join(folder, 'driver.json');
  const capabilities = [
    ...['persistence', 'block', 'exec', 'fsGroup', 'multipods', 'singleNodeVolume', 'topology', 'multiplePVsSameID'],
    ...['snapshotDataSource', 'pvcDataSource', 'controllerExpansion', 'offlineExpansion', 'onlineExpansion'],
    ...['nodeExpansion', 'readWriteOncePod', 'FSResizeFromSourceNotSupported'],
    ...(isCurrent ? ['groupSnapshot'] : []),
  ];
  const definition = {
    StorageClass: { FromName: true },
    SnapshotClass: { FromName: true },
    ...(isCurrent
      ? { GroupSnapshotClass: { FromName: true }, VolumeAttributesClass: { FromExistingClassName: ATTRIBUTES_CLASS } }
      : {}),
    InlineVolumes: [{ Attributes: { foo: 'bar' } }],
    DriverInfo: {
      Name: name,
      SupportedSizeRange: { Min: '1Mi' },
      MaxFileSize: 100 * 1024 * 1024,
      TopologyKeys: ['topology.hostpath.csi/node'],
      Capabilities: Object.fromEntries(capabilities.map((capability) => [capability, true])),
      StressTestOptions: { NumPods: 3, NumRestarts: 3 },
      VolumeSnapshotStressTestOptions: { NumPods: 3, NumSnapshots: 3 },
    },
  };
  await writeFile(path, JSON.stringify(definition, null, 2));
  return path;
}
