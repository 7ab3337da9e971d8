package dev.holdfast.statistics;

/** The numbers of a storage engine. */
public sealed interface BackendStatistics permits DatabaseStatistics, RocksDbStatistics {}
