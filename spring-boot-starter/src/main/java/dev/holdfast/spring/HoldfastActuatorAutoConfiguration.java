package dev.holdfast.spring;

import dev.holdfast.ObjectRuntime;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health and {@code /actuator/holdfast}, if Boot's actuator is on the class path. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnBean(ObjectRuntime.class)
public final class HoldfastActuatorAutoConfiguration {

  /** For Spring. */
  public HoldfastActuatorAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  static class HealthConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HoldfastHealthIndicator holdfastHealthIndicator(ObjectRuntime runtime) {
      return new HoldfastHealthIndicator(runtime);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class EndpointConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint
    HoldfastEndpoint holdfastEndpoint(ObjectRuntime runtime) {
      return new HoldfastEndpoint(runtime);
    }
  }
}
