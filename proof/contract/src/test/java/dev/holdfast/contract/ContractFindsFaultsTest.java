package dev.holdfast.contract;

import static dev.holdfast.contract.BrokenBackends.ranges;
import static dev.holdfast.contract.BrokenBackends.recovery;
import static dev.holdfast.contract.BrokenBackends.turns;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.testkit.InMemoryBackend;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The suites fail for backends with planted faults: each broken rule is detected. */
final class ContractFindsFaultsTest {

  private static final int VIEW_ID = InMemoryBackend.DEFAULT_VIEW_ID;

  /** A fault, and the rule that must detect it. */
  enum Fault {
    SCANS_THE_WRONG_WAY(
        "scanIsInTheOrderOfUnsignedBytes",
        ranges(r -> new KeyRange(r.startInclusive(), r.endExclusive(), false, r.limit()))),
    IGNORES_THE_START(
        "everyPairOfBoundsSelectsTheKeysBetween",
        ranges(r -> new KeyRange(null, r.endExclusive(), r.reverse(), r.limit()))),
    IGNORES_THE_END(
        "oneBoundIsEnough",
        ranges(r -> new KeyRange(r.startInclusive(), null, r.reverse(), r.limit()))),
    IGNORES_THE_LIMIT(
        "limitCountsInTheOrderOfTheResult",
        ranges(r -> new KeyRange(r.startInclusive(), r.endExclusive(), r.reverse(), 100))),
    ENDS_KEYS_AT_ZERO("keysThatLookAlikeAreDifferent", turns(BrokenBackends::keysEndAtZero)),
    SAYS_EVERY_KEY_EXISTED(
        "deleteReturnsWhetherTheKeyExisted", turns(BrokenBackends::everyKeyExisted)),
    SEALS_INSTEAD_OF_DISCARDING(
        "discardUndoesEverythingTheTurnWrote", turns(BrokenBackends::sealedInsteadOfDiscarded)),
    DELETES_ALL_BUT_ONE(
        "deleteAllLeavesWhatTheTurnWritesAfterwards", turns(BrokenBackends::deletesAllButOne)),
    READS_ONLY_WHAT_IS_SEALED(
        "readSeesTheTurnsOwnWrites", turns(BrokenBackends::readsOnlyWhatIsSealed)),
    KEEPS_WHAT_IS_ROLLED_BACK(
        "rollbackTakesBackWhatWasWrittenSinceTheSavepoint",
        turns(BrokenBackends::releasedInsteadOfRolledBack)),
    APPENDS_EMPTY_BATCHES(
        "sealOfATurnThatOnlyReadsAppendsNothing",
        (journal, _) -> BrokenBackends.appendsEmptyBatches(journal)),
    APPENDS_TWO_RECORDS(
        "oneTurnIsOneRecordAtThePositionThatSealReturns",
        (journal, _) -> BrokenBackends.appendsTwoRecords(journal)),
    MIXES_UP_NAMESPACES(
        "objectsDoNotSeeEachOther", (journal, _) -> BrokenBackends.mixesUpNamespaces(journal)),
    FORGETS_THE_LAST_RECORD(
        "everyPrefixOfTheJournalIsRecoveredExactly",
        recovery(BrokenBackends::withoutTheLastRecord)),
    TRUSTS_ITS_FILES("everyPrefixOfTheJournalIsRecoveredExactly", BrokenBackends::trustsItsFiles),
    REDOES_RECORDS_OF_OTHER_VIEWS(
        "recordsOfOtherViewsAreLeftAlone",
        recovery(log -> BrokenBackends.withEveryRecordMadeOwn(log, VIEW_ID))),
    SAYS_IT_NEEDS_NOTHING(
        "viewNeedsABatchThatIsNotDurable", (journal, _) -> BrokenBackends.needsNothing(journal)),
    FORGETS_WHAT_IT_NEEDS(
        "journalMayForgetWhatTheViewDoesNotNeed",
        (journal, _) -> BrokenBackends.needsNothing(journal)),
    NOTES_ITS_NEED_TOO_LATE(
        "viewNeedsTheRecordThatIsBeingAppended",
        (journal, _) -> BrokenBackends.notesItsNeedTooLate(journal));

    final String rule;
    final BiFunction<Journal, Path, StorageBackend> opener;

    Fault(String rule, BiFunction<Journal, Path, StorageBackend> opener) {
      this.rule = rule;
      this.opener = opener;
    }
  }

  @ParameterizedTest
  @EnumSource
  void ruleNoticesTheFault(Fault fault) {
    Planted.backend = fault.opener;

    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectMethod(Planted.class, fault.rule))
            .execute()
            .testEvents();

    assertThat(tests.started().count()).isEqualTo(1);
    assertThat(tests.failed().count()).isEqualTo(1);
  }

  @Test
  void randomProgramsNoticeALostRecord() {
    assertThat(failuresOfRandomPrograms(Fault.FORGETS_THE_LAST_RECORD)).isEqualTo(1);
  }

  @Test
  void randomProgramsNoticeAnIgnoredBound() {
    assertThat(failuresOfRandomPrograms(Fault.IGNORES_THE_END)).isEqualTo(1);
  }

  @Test
  void randomProgramsNoticeADiscardThatSeals() {
    assertThat(failuresOfRandomPrograms(Fault.SEALS_INSTEAD_OF_DISCARDING)).isEqualTo(1);
  }

  private static long failuresOfRandomPrograms(Fault fault) {
    Planted.backend = fault.opener;
    return EngineTestKit.engine("jqwik")
        .selectors(selectClass(PlantedModel.class))
        // The failure is expected: its report goes to these events, not to the output of the build.
        .configurationParameter("jqwik.reporting.usejunitplatform", "true")
        .configurationParameter("jqwik.database", "target/jqwik-database")
        .execute()
        .testEvents()
        .failed()
        .count();
  }

  /** Not run directly: nested classes are not. */
  static final class Planted extends BackendContract {
    static BiFunction<Journal, Path, StorageBackend> backend = Fault.SCANS_THE_WRONG_WAY.opener;

    @Override
    protected StorageBackend openBackend(Journal journal, Path directory) {
      return backend.apply(journal, directory);
    }
  }

  /** Not run directly either. */
  static final class PlantedModel extends KeyValueModel {
    @Override
    protected StorageBackend openBackend(Journal journal, Path directory) {
      return Planted.backend.apply(journal, directory);
    }
  }
}
