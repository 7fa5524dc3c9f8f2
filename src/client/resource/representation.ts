/** The form in which objects are asked for. */
export interface Representation {
  readonly acceptObject: string;
  readonly acceptList: string;
  /** What objects in this form say they are, when it is not what they are. */
  readonly typeMeta?: { readonly kind: string; readonly apiVersion: string };
}

export const wholeObjects: Representation = { acceptObject: 'application/json', acceptList: 'application/json' };

/** Metadata alone; a server that cannot do it sends whole objects. */
export const metadataOnly: Representation = {
  acceptObject: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
  acceptList: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
  typeMeta: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
};
