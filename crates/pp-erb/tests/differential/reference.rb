# Renders templates with Ruby's own ERB: a line of JSON in, a line of JSON out.
require 'erb'
require 'json'

def frozen(value)
  case value
  when String then value.freeze
  when Array then value.each { |item| frozen(item) }
  when Hash then value.each_value { |item| frozen(item) }
  end
  value
end

module Puppet
  module Parser
    # What the template sees.
    class TemplateWrapper
      def initialize(variables)
        variables.each { |name, value| instance_variable_set("@#{name}", value) }
      end

      def result(template)
        template.result(binding)
      end

      def inspect
        '#<Puppet::Parser::TemplateWrapper>'
      end
    end
  end
end

$stdout.sync = true
$stderr.reopen('/dev/null')
while (line = $stdin.gets)
  request = JSON.parse(line)
  answer =
    begin
      text = Puppet::Parser::TemplateWrapper.new(frozen(request['variables'])).result(ERB.new(request['template'], trim_mode: '-'))
      text = text.to_s.encode('UTF-8')
      # The catalog could not hold it.
      raise ArgumentError, 'invalid character' unless text.valid_encoding?
      { 'text' => text }
    rescue StandardError, SystemStackError => e
      { 'error' => e.message.lines.first.to_s.chomp, 'class' => e.class.name }
    rescue SyntaxError
      { 'syntax' => true }
    end
  puts JSON.generate(answer)
end
