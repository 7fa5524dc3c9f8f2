import { join } from 'node:path';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { compactStore, repairStore, snapshotBytes, snapshotFolder, verifyStore } from '../../store/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { defaultDataFolder } from './log-flags.ts';
import { copyBetween, copyFlags, restoreStore, takeSnapshot, verifySnapshot } from './store-copy.ts';

const definitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'The data folder of `keelson up` (default .keelson in the home folder)',
  },
  ...copyFlags,
  'accept-loss': { type: 'boolean', help: 'Let repair drop what cannot be read' },
};

const usage = `Usage: keelson store ACTION [FILE] [FLAGS]

  snapshot FILE               Write all objects into a file, also while the cluster runs
  restore [FILE]              Make a new store from a snapshot, on standard input unless a file is given
  copy --from PLACE --to PLACE
                              Copy all objects between data folders and etcd (http://HOST:PORT,…)
  check [FILE]                Read every file and record, and print what is damaged and where; or check a snapshot.
                              verify is the same
  dump                        Print a snapshot, which is JSON lines
  repair                      Tell what a damaged store has lost; with --accept-loss, go on with what can be read
  compact                     Write a fresh checkpoint and drop what is superfluous

snapshot and restore work on etcd when --etcd-servers is given. For check, repair and compact the cluster must be stopped. check,
dump and repair without --accept-loss change nothing and work on read-only media.

${describeFlags(definitions)}`;

/** `keelson store snapshot|restore|copy|check|dump|repair|compact` */
export const storeCommand: Command = {
  usage,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [action = '', file] = flags.positionals;
    const folder = join(flags.text('data-dir') ?? defaultDataFolder(context.environment), 'store');
    switch (action) {
      case 'check':
      case 'verify':
        return file === undefined ? verify(folder, context) : verifySnapshot(file, context);
      case 'dump':
        return dump(folder, context);
      case 'repair':
        return repair(folder, { acceptLoss: flags.isSet('accept-loss') }, context);
      case 'snapshot':
        return takeSnapshot(flags, folder, context);
      case 'restore':
        return restoreStore(flags, folder, context);
      case 'copy':
        return copyBetween(flags, context);
      case 'compact':
        return compact(folder, context);
      default:
        throw new UsageError(
          action === ''
            ? 'which action? One of snapshot, restore, copy, check, dump, repair and compact'
            : `"${action}" is not snapshot, restore, copy, check, dump, repair or compact`,
        );
    }
  },
};

function offline(): { readonly clock: RealClock; readonly random: CryptoRandom } {
  return { clock: new RealClock(), random: new CryptoRandom() };
}

async function verify(folder: string, context: CommandContext): Promise<void> {
  const { files, problems, notes, state } = await verifyStore(folder, offline());
  for (const { name, bytes, contents } of files) context.print(`${name}: ${bytes} bytes, ${contents}`);
  for (const { file, offset, description } of notes) context.print(`note: ${file} at ${offset}: ${description}`);
  for (const { file, offset, description } of problems) context.print(`damage: ${file} at ${offset}: ${description}`);
  if (state !== undefined) context.print(`${state.objects} objects at revision ${state.revision}`);
  if (problems.length > 0) throw new Error(`the store in "${folder}" is damaged`);
  context.print('the store is sound');
}

async function dump(folder: string, context: CommandContext): Promise<void> {
  await using snapshot = await snapshotFolder(folder, offline());
  for await (const piece of snapshotBytes(snapshot)) context.print(piece.toString('utf8').trimEnd());
}

async function repair(
  folder: string,
  options: { readonly acceptLoss: boolean },
  context: CommandContext,
): Promise<void> {
  const { losses, objects, revision, movedTo } = await repairStore(folder, { ...offline(), ...options });
  for (const loss of losses) context.print(`lost: ${loss}`);
  if (losses.length === 0) {
    context.print(`the store is sound: ${objects} objects at revision ${revision}`);
  } else if (movedTo === undefined) {
    context.print(`${objects} objects can be read`);
    throw new Error(
      `the store in "${folder}" is damaged and was left as it is; --accept-loss goes on without the rest`,
    );
  } else {
    context.print(`the store goes on with ${objects} objects at revision ${revision}; its old files are in ${movedTo}`);
  }
}

async function compact(folder: string, context: CommandContext): Promise<void> {
  context.print(JSON.stringify(await compactStore(folder, offline()), undefined, 2));
}
