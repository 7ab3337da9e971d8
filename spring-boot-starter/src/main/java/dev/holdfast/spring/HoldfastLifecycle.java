package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * Starts alarms when the application is ready, and closes the runtime when it ends: after the web
 * server has finished its requests, and before it stops.
 */
final class HoldfastLifecycle
    implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

  /**
   * Boot's servers stop to take requests, and wait for those under way, in DEFAULT_PHASE - 1024;
   * they stop in DEFAULT_PHASE - 2048. Higher phases end first.
   */
  static final int PHASE = DEFAULT_PHASE - 1_536;

  private final ObjectRuntime runtime;
  private volatile boolean running;

  HoldfastLifecycle(ObjectRuntime runtime) {
    this.runtime = runtime;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void onApplicationEvent(ApplicationReadyEvent event) {
    if (running) {
      runtime.admin().startAlarms();
    }
  }

  @Override
  public void stop() {
    running = false;
    runtime.close();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  /** A runtime that is closed does not open again. */
  @Override
  public boolean isPauseable() {
    return false;
  }
}
