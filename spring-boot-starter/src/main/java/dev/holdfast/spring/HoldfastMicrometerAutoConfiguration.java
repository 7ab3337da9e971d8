package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.micrometer.CallTracingHandler;
import dev.holdfast.micrometer.HoldfastMetrics;
import dev.holdfast.micrometer.ObservedCalls;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Metrics and traces, if {@code holdfast-micrometer} is on the class path: Boot binds the meters to
 * its registries; calls are observed if there is an {@code ObservationRegistry}.
 */
@AutoConfiguration(
    after = HoldfastAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
    })
@ConditionalOnClass({HoldfastMetrics.class, MeterBinder.class})
@ConditionalOnBean(ObjectRuntime.class)
public final class HoldfastMicrometerAutoConfiguration {

  /** For Spring. */
  public HoldfastMicrometerAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  HoldfastMetrics holdfastMetrics(ObjectRuntime runtime) {
    return new HoldfastMetrics(runtime);
  }

  /** A filter of calls on both sides: Holdfast's configuration registers it with the others. */
  @Bean
  @ConditionalOnBean(ObservationRegistry.class)
  @ConditionalOnMissingBean
  ObservedCalls holdfastObservedCalls(ObservationRegistry registry) {
    return new ObservedCalls(registry);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Tracer.class)
  @ConditionalOnBean({Tracer.class, Propagator.class})
  static class TracingConfiguration {

    /** The order of Boot's handler of receivers; its handler of everything else is far behind. */
    private static final int HANDLER_ORDER = 1_000;

    /** Before Boot's handler of all observations, which would not carry the trace with the call. */
    @Bean
    @ConditionalOnMissingBean
    @Order(HANDLER_ORDER)
    CallTracingHandler holdfastCallTracingHandler(Tracer tracer, Propagator propagator) {
      return new CallTracingHandler(tracer, propagator);
    }
  }
}
