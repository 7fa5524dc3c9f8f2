// The calls of the Container Runtime Interface about images.
import { RuntimeError, type Image } from '../../node/index.ts';
import type { ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { type image as imageTable, type imageFilter, ImageService as methods } from '../protocol/runtime-v1.ts';
import { asMap } from '../to-messages.ts';
import { pagesOf } from './pages.ts';
import { authOf, imageSpecOf, sandboxConfigOf } from './read-messages.ts';
import type { ServerParts } from './server-parts.ts';
import { served, servedStream } from './served-method.ts';
import { listedImageMessage, nanoseconds } from './write-messages.ts';

export function imageMethods({ images, clock }: ServerParts): readonly ServedMethod[] {
  const list = async (
    filter: MessageOf<typeof imageFilter> | undefined,
    signal: AbortSignal,
  ): Promise<readonly MessageOf<typeof imageTable>[]> => {
    const name = filter?.image?.image ?? '';
    const one = name === '' ? undefined : await images.imageStatus(imageSpecOf(filter?.image), { signal });
    const found: readonly Image[] = name === '' ? await images.listImages({ signal }) : one === undefined ? [] : [one];
    return found.map(listedImageMessage);
  };
  return [
    served(methods.listImages, async ({ filter }, signal) => ({ images: await list(filter, signal) })),
    servedStream(methods.streamImages, async function* ({ filter }, signal) {
      for (const page of pagesOf(await list(filter, signal))) yield { images: page };
    }),
    served(methods.imageStatus, async ({ image, verbose = false }, signal) => {
      const found = await images.imageStatus(imageSpecOf(image), { signal });
      if (found === undefined) return {};
      const info = verbose ? { info: asMap({ info: JSON.stringify(found) }) } : {};
      return { image: listedImageMessage(found), ...info };
    }),
    served(methods.pullImage, async ({ image, auth, sandboxConfig }, signal) => {
      const spec = imageSpecOf(image);
      if (spec.image === '') throw new RuntimeError('Invalid', 'failed to parse image reference "": it is empty');
      const imageRef = await images.pullImage(spec, {
        signal,
        ...(auth === undefined ? {} : { auth: authOf(auth) }),
        ...(sandboxConfig?.metadata === undefined ? {} : { sandboxConfig: sandboxConfigOf(sandboxConfig) }),
      });
      const pulled = await images.imageStatus({ ...spec, image: imageRef }, { signal });
      return { imageRef: pulled?.id ?? imageRef };
    }),
    served(methods.removeImage, async ({ image }, signal) => {
      await images.removeImage(imageSpecOf(image), { signal });
      return {};
    }),
    served(methods.imageFsInfo, async (_, signal) => {
      const { mountpoint, capacityBytes, availableBytes } = await images.fsInfo({ signal });
      const usage = {
        timestamp: nanoseconds(clock.now()),
        fsId: { mountpoint },
        usedBytes: { value: Math.max(0, capacityBytes - availableBytes) },
        inodesUsed: { value: 0 },
      };
      return { imageFilesystems: [usage], containerFilesystems: [usage] };
    }),
  ];
}
