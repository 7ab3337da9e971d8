package dev.holdfast.simulation;

import dev.holdfast.ObjectRegistrar;

/**
 * What an {@link Explorer} runs. A new one is made for each run; its fields may keep the answers of
 * its callers for {@link #check}. Only one thread runs at a time, so they need no lock.
 */
public interface Scenario {

  /**
   * Registers the objects, as the application does. Called again for the recovery.
   *
   * @param objects valid during the call
   */
  void register(ObjectRegistrar objects);

  /**
   * Calls objects. After a crash each call fails: code behind a call runs only if the call was
   * answered, so what it notes there was acknowledged. Exceptions are ignored after a crash, and
   * fail the run without one.
   *
   * @param run the runtime, and callers
   * @throws Exception if a call fails
   */
  void run(Run run) throws Exception;

  /**
   * Checks the application's invariants on the runtime that has recovered.
   *
   * @param run the recovered runtime
   * @throws Exception if a call fails
   */
  void check(Run run) throws Exception;
}
