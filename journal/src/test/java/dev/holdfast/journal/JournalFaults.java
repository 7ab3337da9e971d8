package dev.holdfast.journal;

import dev.holdfast.faults.planted.PlantedFault;
import java.nio.file.Path;
import java.util.List;

/** The faults that are planted in the readers of segments. Each must make a test fail. */
final class JournalFaults {

  private static final Path FILE = Path.of("src/main/java/dev/holdfast/journal/file");

  static final List<PlantedFault> ALL =
      List.of(
          inWalk(
              "a group of another position continues",
              "group != null && group.firstPosition() == position ? group : null",
              "group"),
          inWalk(
              "a group continues whose records are damaged",
              "!step.take(reader, group, offset)",
              "!step.take(reader, group, offset) && offset < 0"),
          inWalk(
              "damage is taken for a torn tail",
              "    return reader.findGroup(isAtContinuing()",
              "    return offset > 0 ? -1 : reader.findGroup(isAtContinuing()"),
          inWalk(
              "a torn group is taken for evidence of damage before it",
              "isAtContinuing() ? offset + 8 : offset",
              "isAtContinuing() && offset < 0 ? offset + 8 : offset"),
          inWalk(
              "a chunk has groups that are not durable",
              "        && group.nextPosition() - 1 <= last\n",
              ""),
          inWalk(
              "a chunk begins after the group that has the record",
              "group.nextPosition() <= searched",
              "group.firstPosition() <= searched"),
          inWalk(
              "a walk to a position begins after it",
              "segment == target && position <= searched ?",
              "segment == target ?"),
          inWalk(
              "a check does not go on after damage",
              "if (group != null && reader.isValid(group, at)) {",
              "if (group != null && reader.isValid(group, at) && at < 0) {"),
          new PlantedFault(
              "the digest of a group is not compared",
              FILE.resolve("SegmentReader.java"),
              "isEachValid && (int) digest.getValue() == header.digest()",
              "isEachValid"));

  private JournalFaults() {}

  private static PlantedFault inWalk(String what, String original, String replacement) {
    return new PlantedFault(what, FILE.resolve("SegmentWalk.java"), original, replacement);
  }
}
