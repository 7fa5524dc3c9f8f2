import type { ImageService, ImageSpec } from '../node/index.ts';
import type { ImageCommands } from './image-commands.ts';

/** Images of a node; those that are mapped to a command are present without a pull, as the command is. */
export function processImages(simulated: ImageService, commands: ImageCommands): ImageService {
  const nameOf = ({ userSpecifiedImage, image }: ImageSpec): string => userSpecifiedImage ?? image;
  return {
    listImages: (options) => simulated.listImages(options),
    async imageStatus(spec, options) {
      const found = await simulated.imageStatus(spec, options);
      if (found !== undefined || !commands.has(nameOf(spec))) return found;
      await simulated.pullImage({ image: spec.image }, options);
      return simulated.imageStatus(spec, options);
    },
    pullImage: (spec, options) => simulated.pullImage(spec, options),
    removeImage: (spec, options) => simulated.removeImage(spec, options),
    fsInfo: (options) => simulated.fsInfo(options),
  };
}
