import { describe, expect, test } from 'vitest';
import { peerNamed } from './catalog.ts';
import { goArguments, type GoPeer, isGoPeer } from './go-build.ts';

function peer(name: string): GoPeer {
  const found = peerNamed(name);
  if (found === undefined || !isGoPeer(found)) throw new Error(`no Go peer "${name}"`);
  return found;
}

describe('goArguments()', () => {
  test('builds a program of our module, with its version linked in', () => {
    const args = goArguments(peer('kube-scheduler'), '/out', 1);

    expect(args.slice(0, 4)).toEqual(['build', '-v', '-p', '1']);
    expect(args).toContainEqual(expect.stringContaining('-X k8s.io/component-base/version.gitVersion=v1.36.3'));
    expect(args.slice(-3)).toEqual(['-o', '/out/kube-scheduler', 'k8s.io/kubernetes/cmd/kube-scheduler']);
  });

  test('compiles the end-to-end suite as a test', () => {
    expect(goArguments(peer('e2e.test'), '/out', 2).slice(0, 2)).toEqual(['test', '-c']);
  });

  test('installs a published program by its version', () => {
    const args = goArguments(peer('kwok'), '/out', 2);

    expect(args).toEqual(['install', '-v', '-p', '2', 'sigs.k8s.io/kwok/cmd/kwok@v0.8.0']);
  });

  test('names a program in a folder by its file, without symbols', () => {
    const args = goArguments(peer('image/nnp'), '/out', 2);

    expect(args).toEqual([
      'build',
      '-v',
      '-p',
      '2',
      '-ldflags',
      '-s -w',
      '-o',
      '/out/nnp',
      'k8s.io/kubernetes/test/images/nonewprivs',
    ]);
  });

  test('gives a program its build tags', () => {
    expect(goArguments(peer('ctr'), '/out', 2)).toContain('no_btrfs,no_devmapper,no_zfs');
  });
});
