package dev.holdfast.cluster.suites;

import java.util.ArrayList;
import java.util.List;

/**
 * A test of one machine that fails on a cluster, by a rule that {@code docs/cluster.md} states.
 *
 * @param tests the simple names of the class and of the methods
 * @param reason the rule
 * @param symptoms what the failure says: one of them; another one is an error
 * @param isAlways false if the test passes when the node whose turn it is owns the object
 */
record Difference(List<String> tests, String reason, List<String> symptoms, boolean isAlways) {

  private static final String CARRIER =
      "a call to another node carries headers, and nothing of a carrier without a text form";

  private static final String FILES = "the test looks into the data directory of one machine";

  /** All of them. */
  static final List<Difference> ALL =
      List.of(
          of(
              "a node makes no backup",
              "A node makes no backup",
              "OutboxTest.backupHasTheEventsAndThePlaces"),
          of(
              "the archive of a cluster has a place for each shard",
              "has no archive",
              "OutboxTest.archiveHasTheEventsAndThePlaces"),
          byTurn(
                  "history is dropped once all members have it; only the owner refuses a consumer",
                  "Expecting value to be true",
                  "OutboxTest.journalKeepsEventsForAConsumerUpToTheBound")
              .or("runs already on this node"),
          byTurn(
              "all nodes are closed at once, without a majority for the last place of a consumer",
              "to contain exactly",
              "OutboxTest.consumerContinuesWhenTheRuntimeIsOpenedAgain"),
          of(
                  "migrateAll goes shard after shard, reports after each, and may not count those"
                      + " in hand",
                  "expected: 1L",
                  "MigrateAllTest.runThatHasEndedEarlyContinuesAtItsCursor")
              .or("Expecting Optional to contain a value"),
          byTurn(
              "all nodes are closed at once: the call is UNKNOWN, or its journal has failed",
              "closed",
              "SqlRunLimitsTest.closeOfTheRuntimeStopsARunningStatement"),
          of(
              "the statistics are those of the node, by its clock, and of the shards it owns",
              "expected:",
              "RuntimeStatisticsTest.callsOfBothEnginesMoveTheNumbersOfTheJournalAndOfTheirOwn",
              "RuntimeStatisticsTest.closedRuntimeHasItsLastNumbers"),
          of(
              FILES,
              "Expecting value to be true",
              "StorageEnginesTest.rocksDbIsOpenedOnlyIfItIsUsedOrThere"),
          of(
              FILES,
              "NoSuchFileException",
              "StorageRefusalTest.olderCopyOfRocksDbIsBroughtUpToDateFromAJournalThatHasItAll",
              "StorageRefusalTest.rocksDbThatWasRemovedIsMadeAgainFromAJournalThatHasItAll"),
          of(
              "a node refuses another storage when it opens a shard whose files it has",
              "Expecting code to raise a throwable",
              "StorageRefusalTest.namespaceThatAsksForAnotherStorageIsRefused"),
          byTurn(
              CARRIER,
              "nobody",
              "ContextCarrierTest.actionsAndListenersHaveThatOfTheirTurn",
              "ContextCarrierTest.alarmHasWhatACarrierWithATextFormTookWhenItWasSet",
              "ContextCarrierTest.freshThreadsShowWhatReliesOnTheCaller",
              "ContextCarrierTest.nothingIsSetForNothing",
              "ContextCarrierTest.queuedCallsHaveTheirOwn",
              "ContextCarrierTest.tasksAndTimersHaveThatOfTheirStartAndAlarmsNoneWithoutATextForm",
              "ContextCarrierTest.valueIsThereHoweverTheCallRuns"),
          byTurn(
              CARRIER,
              "Expecting code to raise a throwable",
              "ContextCarrierTest.alarmThatWouldKeepTooMuchIsRefusedAndNothingChanges"),
          byTurn(
              "a failure from another node has the stack of that node",
              "[fresh threads: true]",
              "ContextCarrierTest.failureOfAnAsynchronousCallOnFreshThreadsHasTheStackOfItsCaller"),
          byTurn(
              "a call that its caller interrupts before it has reached its owner is withdrawn",
              "Expecting value to be true",
              "AdminTest.objectWithATurnThatDoesNotEndIsResetAnyNumberOfTimes",
              "RocksDbAdminTest.objectWithATurnThatDoesNotEndIsResetAnyNumberOfTimes"));

  private static Difference of(String reason, String symptom, String... tests) {
    return new Difference(List.of(tests), reason, List.of(symptom), true);
  }

  private static Difference byTurn(String reason, String symptom, String... tests) {
    return new Difference(List.of(tests), reason, List.of(symptom), false);
  }

  private Difference or(String symptom) {
    List<String> all = new ArrayList<>(symptoms);
    all.add(symptom);
    return new Difference(tests, reason, List.copyOf(all), isAlways);
  }
}
