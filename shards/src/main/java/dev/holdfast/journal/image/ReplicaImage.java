package dev.holdfast.journal.image;

/**
 * Copies of the files of a shard's owner, which another node may read.
 *
 * @param id distinguishes it from other images of the node
 * @param listBytes the size of the list of its files
 * @param listChecksum the CRC-32C of the list
 */
public record ReplicaImage(long id, long listBytes, int listChecksum) {}
