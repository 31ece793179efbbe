package org.opensearch.transport.grpc.spi;

/** What the k-NN plugin links to of the gRPC module, which is not loaded. */
public interface QueryBuilderProtoConverter {}
