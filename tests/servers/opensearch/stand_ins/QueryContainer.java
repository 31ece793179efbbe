package org.opensearch.protobufs;

/** As QueryBuilderProtoConverter. */
public final class QueryContainer {
    public enum QueryContainerCase {
        NONE
    }
}
