package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.planted.PlantedFault;
import dev.holdfast.faults.planted.PlantedRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Plants faults in the division of a directory: a test must find each. */
final class PlantedSplitFaultsTest {

  private static final String SPLIT = "src/main/java/dev/holdfast/verify/split/";

  private static final List<PlantedFault> ALL =
      List.of(
          fault(
              "the batch before keeps its position",
              SPLIT + "SplitJournal.java",
              "new ChainLink(place(source, link.previous()), link.parts())",
              "new ChainLink(link.previous(), link.parts())"),
          fault(
              "only the first shard has the consumers",
              SPLIT + "SplitJournal.java",
              "    for (Shard each : shards) {\n      for (ByteBuffer payload",
              "    for (Shard each : shards.subList(0, 1)) {\n      for (ByteBuffer payload"),
          fault(
              "a position is that of the record before",
              SPLIT + "RecordShards.java",
              "for (int i = 0; i <= end; i++) {",
              "for (int i = 0; i < end; i++) {"),
          fault(
              "a purged history begins at the first record",
              SPLIT + "SplitJournal.java",
              "isWhole ? Journal.START : BEGINNING",
              "isWhole ? Journal.START : Journal.START"),
          fault(
              "the journal lacks the state of the catalog",
              "src/main/java/dev/holdfast/verify/ShardSplit.java",
              "          journals.addCatalog(shard, state);\n",
              "          state.frames();\n"),
          fault(
              "names and alarms stay behind",
              "../backend-sql-sqlite/src/main/java/dev/holdfast/backend/sqlite/catalog/CatalogSplit.java",
              "            source.forEachEntry(firstId, endId, tables::apply);\n",
              ""),
          fault(
              "saved states keep their positions",
              "../backend-sql-sqlite/src/main/java/dev/holdfast/backend/sqlite/catalog/CatalogSplit.java",
              "positions.applyAsLong(state.position())",
              "state.position()"),
          fault(
              "the last batches of RocksDB keep their positions",
              "../backend-kv-rocksdb/src/main/java/dev/holdfast/backend/rocksdb/DatabaseDivision.java",
              "part.moved(lastBatch)",
              "lastBatch"),
          fault(
              "a requested restore keeps its position",
              "../pitr/src/main/java/dev/holdfast/pitr/MovedRestores.java",
              "new Requested(moved(target))",
              "new Requested(target)"),
          fault(
              "the latest record of several journals is first",
              SPLIT + "MergedRecords.java",
              "(Source each) -> each.millis)",
              "(Source each) -> -each.millis)"),
          fault(
              "of records at one time those of the last journal are first",
              SPLIT + "MergedRecords.java",
              "each -> each.number)",
              "each -> -each.number)"),
          fault(
              "a journal that has ended ends the others",
              SPLIT + "MergedRecords.java",
              "        waiting.add(first);\n",
              "        waiting.add(first);\n      } else {\n        waiting.clear();\n"),
          fault(
              "a time that goes back divides the records",
              SPLIT + "MergedRecords.java",
              "millis = Math.max(millis, record.wallMillis());",
              "millis = record.wallMillis();"),
          fault(
              "a time in the future counts",
              SPLIT + "MergedRecords.java",
              "record.wallMillis() <= nowMillis",
              "record.wallMillis() != nowMillis"),
          fault(
              "a purge ends at the record before it",
              SPLIT + "SplitJournal.java",
              "places.lastUpTo(number, at - 1) + 1",
              "places.lastUpTo(number, at)"),
          fault(
              "a purge goes further with each division",
              SPLIT + "SplitJournal.java",
              "places.lastUpTo(number, at - 1) + 1",
              "places.lastUpTo(number, at) + 1"),
          fault(
              "a dropped state is the one at the beginning",
              SPLIT + "SplitJournal.java",
              "? DROPPED",
              "? BEGINNING"),
          fault(
              "a segment is older than its source's because the clock was ahead",
              SPLIT + "SplitJournal.java",
              "Math.max(reachedMillis, wallMillis)",
              "reachedMillis"),
          fault(
              "nobody looks for objects of other shards",
              "src/main/java/dev/holdfast/verify/ShardSplit.java",
              "      each.requireOwn(scratch);\n",
              "      each.hasCatalog();\n"));

  @TempDir private Path directory;

  private static PlantedFault fault(String what, String file, String original, String replacement) {
    return new PlantedFault(what, Path.of(file), original, replacement);
  }

  @Test
  void everyOriginalIsInTheSourcesOnce() throws IOException {
    for (PlantedFault fault : ALL) {
      assertThat(fault.source()).as(fault.what()).isNotEmpty();
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void everyPlantedFaultMakesATestFail() throws Exception {
    PlantedRun run =
        new PlantedRun(
            PlantedSplitFaultsTest.class,
            directory,
            _ ->
                List.of(
                    "dev.holdfast.verify.split.RecordShardsTest",
                    "dev.holdfast.verify.split.MergedRecordsTest",
                    "dev.holdfast.verify.split.SplitJournalTest",
                    "dev.holdfast.verify.split.DividedHistoryTest",
                    "dev.holdfast.verify.SplitConsumersTest",
                    "dev.holdfast.verify.ShardSplitTest",
                    "dev.holdfast.verify.SplitRefusalTest"));

    assertThat(run.survivorsOf(ALL)).isEmpty();
  }
}
