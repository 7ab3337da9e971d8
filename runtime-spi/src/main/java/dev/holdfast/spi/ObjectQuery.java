package dev.holdfast.spi;

import dev.holdfast.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * Which objects of a namespace to read from the directory: first the objects with names, in UTF-8
 * order of the names and then of the ids, then the others, in order of the ids. Immutable.
 *
 * @param namespace the namespace
 * @param prefix only objects whose name begins with it, compared as UTF-8; null for all objects,
 *     those without a name included
 * @param after only objects after this one; null for all
 * @param limit maximum number of objects, at least 1
 */
public record ObjectQuery(
    String namespace, @Nullable String prefix, @Nullable ObjectId after, int limit) {}
