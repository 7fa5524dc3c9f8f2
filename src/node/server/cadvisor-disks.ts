import type { CgroupFigures, DiskFigures, FilesystemFigures, TransferFigures } from '../runtime/index.ts';
import type { FamilyRow, OwnSample } from './cadvisor-rows.ts';

/** How full file systems are, and what was read from and written to devices: of file systems by the machine, of devices by each group. */
export function filesystemFamilies(): readonly FamilyRow[] {
  return [
    {
      name: 'blkio_device_usage_total',
      type: 'counter',
      help: 'Bytes that were read and written, by device and operation.',
      of: ({ disks = [] }) =>
        disks.flatMap(({ device, major, minor, bytes }) =>
          [...bytes].map(([operation, value]) => ({
            labels: { device, major: String(major), minor: String(minor), operation },
            value,
          })),
        ),
    },
    filesystems('inodes_free', 'gauge', { help: 'Free inodes.', value: ({ inodesFree }) => inodesFree }),
    filesystems('inodes_total', 'gauge', { help: 'All inodes.', value: ({ inodes }) => inodes }),
    filesystems('limit_bytes', 'gauge', {
      help: 'Size of the file system, in bytes.',
      value: ({ capacityBytes }) => capacityBytes,
    }),
    filesystems('usage_bytes', 'gauge', { help: 'Used part of it, in bytes.', value: ({ usedBytes }) => usedBytes }),
    devices('reads_bytes_total', 'Bytes that were read.', ({ bytes }) => bytes.get('Read')),
    devices('writes_bytes_total', 'Bytes that were written.', ({ bytes }) => bytes.get('Write')),
    ...transfers('read', ({ reads }) => reads),
    ...transfers('write', ({ writes }) => writes),
    filesystems('io_current', 'gauge', {
      help: 'Reads and writes that are in progress.',
      value: ({ inProgress }) => inProgress,
    }),
    filesystems('io_time_seconds_total', 'counter', {
      help: 'Time in which the device was busy, in seconds.',
      value: ({ busySeconds }) => busySeconds,
    }),
    filesystems('io_time_weighted_seconds_total', 'counter', {
      help: 'Time of all reads and writes together, in seconds.',
      value: ({ weightedSeconds }) => weightedSeconds,
    }),
    ...['usage', 'wait', 'indebt', 'indelay'].map((name) =>
      devices(
        `io_cost_${name}_seconds_total`,
        `Seconds by the kernel's cost model of the device: ${name}.`,
        ({ cost }) => cost.get(name),
      ),
    ),
  ];
}

function transfers(word: 'read' | 'write', of: (each: FilesystemFigures) => TransferFigures): readonly FamilyRow[] {
  const operation = word === 'read' ? 'Read' : 'Write';
  const done = word === 'read' ? 'read' : 'written';
  const sum = (name: string, help: string, value: (each: TransferFigures) => number): FamilyRow =>
    filesystems(name, 'counter', { help, value: (each) => value(of(each)) });
  return [
    {
      name: `fs_${word}s_total`,
      type: 'counter',
      help: `Operations that have ${done}.`,
      of: (figures) => [
        ...ofDevices(figures, ({ operations }) => operations.get(operation)),
        ...ofFilesystems(figures, (each) => of(each).completed),
      ],
    },
    sum(`sector_${word}s_total`, `Sectors that were ${done}.`, ({ sectors }) => sectors),
    sum(`${word}s_merged_total`, 'Operations that were merged with others.', ({ merged }) => merged),
    sum(`${word}_seconds_total`, 'Time of all operations together, in seconds.', (each) => each.seconds),
  ];
}

function devices(name: string, help: string, value: (disk: DiskFigures) => number | undefined): FamilyRow {
  return { name: `fs_${name}`, type: 'counter', help, of: (figures) => ofDevices(figures, value) };
}

function filesystems(
  name: string,
  type: FamilyRow['type'],
  { help, value }: { readonly help: string; readonly value: (each: FilesystemFigures) => number },
): FamilyRow {
  return { name: `fs_${name}`, type, help, of: (figures) => ofFilesystems(figures, value) };
}

function ofDevices(
  { disks = [] }: CgroupFigures,
  value: (disk: DiskFigures) => number | undefined,
): readonly OwnSample[] {
  return disks.flatMap((disk) => {
    const found = value(disk);
    return found === undefined ? [] : [{ labels: { device: disk.device }, value: found }];
  });
}

function ofFilesystems(
  { filesystems: all = [] }: CgroupFigures,
  value: (each: FilesystemFigures) => number,
): readonly OwnSample[] {
  return all.map((each) => ({ labels: { device: each.device }, value: value(each) }));
}
