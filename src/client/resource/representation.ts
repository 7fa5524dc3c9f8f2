/** The form in which objects are requested. */
export interface Representation {
  readonly acceptObject: string;
  readonly acceptList: string;
  /** The kind and apiVersion of objects in this form, if they differ from the resource's. */
  readonly typeMeta?: { readonly kind: string; readonly apiVersion: string };
}

export const wholeObjects: Representation = { acceptObject: 'application/json', acceptList: 'application/json' };

/** Metadata only; servers without support send whole objects. */
export const metadataOnly: Representation = {
  acceptObject: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  acceptList: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  typeMeta: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
};
